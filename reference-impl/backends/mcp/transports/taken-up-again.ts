import type { Asked, Seat } from '../asked.ts';
import { giveUp } from '../failures.ts';
import { isPerRequest } from '../versions.ts';
import { openStream } from './streamable-http.ts';
import type { MessageSource } from './transport.ts';

/**
 * The stream of a response, taken up again where the server ends it before: a server that lets its clients poll closes streams and says
 * where they may go on. For clients who hear nothing of that, because several streams become one, or because somebody judges what
 * is in them. docs/decisions/mcp-multiplexing.md
 */
export function takenUpAgain(asked: Asked, seat: Seat, first: MessageSource): MessageSource {
  // The revision without sessions has no way back, and the older transport keeps one stream for all.
  if (isPerRequest(seat) || seat.target.transport === 'SSE') return first;
  let current = first;
  let last: string | undefined;
  let wait = USUAL_WAIT;
  let inVain = 0;
  let isOver = false;
  let stopWaiting: (() => void) | undefined;

  const next: MessageSource['next'] = async () => {
    for (;;) {
      const arrived = await current.next();
      if (arrived !== undefined) {
        inVain = 0;
        last = arrived.eventId ?? last;
        wait = Math.max(LEAST_WAIT, Math.min(arrived.retry ?? wait, LONGEST_WAIT));
        isOver ||= arrived.message?.kind === 'response';
        return arrived;
      }
      if (isOver || last === undefined || inVain === MOST_IN_VAIN) return undefined;
      inVain += 1;
      await pause();
      if (isOver) return undefined;
      const sent = await openStream(asked, seat, last);
      if (sent.kind !== 'speaks') {
        giveUp(sent);
        return undefined;
      }
      current = sent.messages;
    }
  };

  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      const stop = asked.exchange.clock.after(wait, resolve);
      stopWaiting = () => {
        stop();
        resolve();
      };
    });

  return {
    next,
    cancel: () => {
      isOver = true;
      stopWaiting?.();
      current.cancel();
    },
  };
}

/** Milliseconds until the next try: where the server does not say it, at least, and at most. */
const USUAL_WAIT = 1000;
const LEAST_WAIT = 50;
const LONGEST_WAIT = 30_000;
/** Streams in a row that brought nothing. */
const MOST_IN_VAIN = 5;
