import type { Body } from '../../../base/body.ts';
import { HeaderMap } from '../../../base/headers.ts';
import { ArrivingBody } from '../../../upstream/arriving-body.ts';
import { lend, type Lent } from './bodies.ts';
import type { Processable } from './direction.ts';
import { bodyMessage } from './messages.ts';
import { processTrailers, type Speech } from './speech.ts';

/** A body on its way through the processor. */
export interface StreamedBody {
  /** What comes back; nothing else is ever passed on. */
  readonly body: Body;
  /** Resolves when the first piece is on its way to the processor. */
  readonly started: Promise<void>;
}

/** Bytes of one message. */
const PIECE = 64 * 1024;
/** Bytes the processor may send ahead of a slow reader before its stream is held back. */
const MOST_AHEAD = 1024 * 1024;

/**
 * EXTPROC-003, EXTPROC-004, EXTPROC-025: every piece goes out as it comes, without a limit and without waiting for the
 * answer to the headers; pieces come back as the processor likes. While the reader is slow nothing new is sent.
 */
export function streamBody<Message extends Processable>(speech: Speech<Message>, source: Body): StreamedBody {
  const { conversation, direction, loan } = speech;
  const lent = lend(source);
  loan.body = lent.back;
  const room = new Room();
  let over = false;
  let trailersSent = false;
  const relay = new ArrivingBody(undefined, {
    pause: room.close,
    resume: room.open,
    cancel: () => {
      close();
      conversation.finish(direction.name);
    },
  });

  function close(): void {
    over = true;
    room.open();
    source.cancel();
  }

  function end(trailers: HeaderMap): void {
    if (over) return;
    over = true;
    relay.end(trailers);
    conversation.finish(direction.name);
  }

  conversation.stream(direction.body, ({ body, endOfStream }) => {
    if (over) return undefined;
    relay.push(body);
    // The answer to trailers ends a body that has them.
    if (endOfStream && !trailersSent) {
      source.cancel();
      end(HeaderMap.EMPTY);
    }
    return room.ahead(body.byteLength);
  });
  conversation.whenOver((reason) => {
    if (over) return;
    over = true;
    room.open();
    relay.fail(reason);
  });

  const started = Promise.withResolvers<void>();
  const pump = async (): Promise<void> => {
    await sendPieces(speech, lent, { room, started: started.resolve, over: () => over });
    const trailers = source.trailers?.() ?? HeaderMap.EMPTY;
    if (over || trailers.size === 0) return;
    trailersSent = true;
    end(await processTrailers(speech, trailers));
  };
  pump().catch((error: unknown) => {
    started.reject(error);
    if (over) return;
    over = true;
    relay.fail(error instanceof Error ? error : new Error(String(error)));
    if (direction.name === 'response') conversation.cancel();
    else conversation.finish('request');
  });
  // Only those that skip the headers wait for it.
  started.promise.catch(() => {});
  return { body: relay, started: started.promise };
}

interface Sending {
  readonly room: Room;
  readonly started: () => void;
  readonly over: () => boolean;
}

/** Sends the body to its end. Without trailers the last piece says that it is the last, or an empty one does. */
async function sendPieces<Message extends Processable>(
  { conversation, direction, envelope }: Speech<Message>,
  lent: Lent,
  { room, started, over }: Sending,
): Promise<void> {
  const { length } = lent.back;
  let sent = 0;
  const send = async (piece: Uint8Array): Promise<void> => {
    sent += piece.byteLength;
    const last = piece.byteLength === 0 || sent === length;
    await conversation.send(direction.body, bodyMessage(direction, piece, last, envelope()));
    started();
  };
  for (;;) {
    await room.wait();
    const chunk = over() ? undefined : await lent.read();
    if (chunk === undefined || over()) break;
    for (let offset = 0; offset < chunk.byteLength; offset += PIECE) await send(chunk.subarray(offset, offset + PIECE));
    lent.given();
    if (sent === length) break;
  }
  if (over() || sent === length || (lent.back.trailers?.().size ?? 0) > 0) return;
  await send(new Uint8Array(0));
}

/** Whether a slow reader has room for more. */
class Room {
  #closed = false;
  #ahead = 0;
  #waiting: (() => void)[] = [];

  readonly close = (): void => {
    this.#closed = true;
  };

  readonly open = (): void => {
    this.#closed = false;
    this.#ahead = 0;
    for (const wake of this.#waiting.splice(0)) wake();
  };

  wait(): Promise<void> | undefined {
    return this.#closed ? new Promise((resolve) => this.#waiting.push(resolve)) : undefined;
  }

  /** Counts what comes although there is no room; a promise when that is too much. */
  ahead(bytes: number): Promise<void> | undefined {
    if (!this.#closed) return undefined;
    this.#ahead += bytes;
    return this.#ahead < MOST_AHEAD ? undefined : this.wait();
  }
}
