import type { Answer } from '../../exchange/exchange.ts';
import type { Asked, Seat, Setback } from './asked.ts';
import { type EventSink, eventStreamAnswer } from './event-stream.ts';
import { decisive, giveUp, setbackAnswer } from './failures.ts';
import { refuseMcp } from './refusals.ts';
import { isJudged } from './judged.ts';
import { inwardEventId, tell } from './relay-request.ts';
import type { Session } from './session.ts';
import type { MessageSource, Sent } from './transports/transport.ts';
import { listenTo } from './transports/transports.ts';
import { streamForSession } from './per-request/stream-for-session.ts';
import { isPerRequest } from './versions.ts';

/** What targets say of their own accord, in one stream. Those that have nothing to say do not matter. */
export async function listen(asked: Asked, session: Session): Promise<Answer> {
  const last = asked.exchange.request.headers.get('last-event-id');
  const resumed = last === undefined ? undefined : inwardEventId(asked, last);
  const seats = session.seats.filter(({ endpoint }) => endpoint !== undefined);
  const opened = await Promise.all(
    seats.map(async (seat) => ({
      seat,
      sent: await hear(
        { ...asked, memory: session.memory },
        seat,
        resumed?.target === seat.target.name ? resumed.id : undefined,
      ),
    })),
  );
  const open = opened.flatMap(({ seat, sent }) => (sent.kind === 'speaks' ? [{ seat, source: sent.messages }] : []));
  const setbacks = opened.flatMap(({ sent }): Setback[] => (sent.kind === 'speaks' ? [] : [sent]));
  // Whoever comes back for the rest of an answer may be listening to the other targets already.
  const isHeard = (seat: Seat, sent: Sent): boolean =>
    resumed !== undefined && resumed.target !== seat.target.name && hasStreamAlready(sent);
  const failed = opened.flatMap(({ seat, sent }): Setback[] =>
    sent.kind === 'speaks' || hasNoStream(sent) || isHeard(seat, sent) ? [] : [sent],
  );
  const deciding = decisive(failed, open.length, asked.mcp.failOpen);
  const told = deciding ?? (open.length === 0 ? setbacks[0] : undefined);
  for (const each of setbacks) if (each !== told) giveUp(each);
  if (deciding !== undefined || open.length === 0) {
    for (const { source } of open) source.cancel();
    return noStream(asked, told);
  }
  return eventStreamAnswer((sink) => pass(asked, open, sink));
}

function hear(asked: Asked, seat: Seat, after: string | undefined): Promise<Sent> {
  return isPerRequest(seat) ? streamForSession(asked, seat) : listenTo(asked, seat, after);
}

interface Open {
  readonly seat: Seat;
  readonly source: MessageSource;
}

/** A session has one stream of its own at a server. */
function hasStreamAlready(sent: Sent): boolean {
  return sent.kind === 'refuses' && sent.answer.status === 409;
}

/** A server without sessions may have no subscriptions either. */
function hasNoStream(sent: Sent): boolean {
  return sent.kind === 'refuses' && (sent.answer.status === 405 || sent.error?.['code'] === -32_601);
}

/** One server says it in its own words. */
function noStream(asked: Asked, setback: Setback | undefined): Answer {
  const isToldAs = setback !== undefined && (!hasNoStream(setback) || asked.mcp.targets.length === 1);
  if (isToldAs) return setbackAnswer(asked, setback, undefined);
  if (setback !== undefined) giveUp(setback);
  return refuseMcp('noStream');
}

/** Until the last of them ends: a stream that lives on is worth more than one that a client opens again. */
async function pass(asked: Asked, open: readonly Open[], sink: EventSink): Promise<void> {
  sink.onGone(() => {
    for (const { source } of open) source.cancel();
  });
  const results = await Promise.allSettled(open.map((each) => passOne(asked, each, sink)));
  const broken = results.find((result) => result.status === 'rejected');
  if (broken !== undefined && results.length === 1) throw broken.reason;
}

async function passOne(asked: Asked, { seat, source }: Open, sink: EventSink): Promise<void> {
  for (let arrived = await source.next(); arrived !== undefined; arrived = await source.next()) {
    if (arrived.message?.kind === 'response' && isJudged(asked)) continue;
    await tell(asked, seat, arrived, true, sink);
  }
}
