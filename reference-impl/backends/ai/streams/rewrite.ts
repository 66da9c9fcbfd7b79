import { Buffer } from 'node:buffer';
import type { Body } from '../../../base/body.ts';
import type { EventCutter } from './stream-form.ts';
import { throughStages, type Ending, type Way } from './stage.ts';
import type { StreamEvent } from './stream-event.ts';

/**
 * A stream whose events may change on the way: each leaves when all stages have let it pass, one that stayed the same in
 * the bytes it came in. A slow reader slows the provider down.
 */
export function rewrittenStream(body: Body, cutter: EventCutter, { stages, call, cancellation }: Way): Body {
  let over = false;

  const finish = async (last: readonly StreamEvent[], ending: Ending): Promise<Uint8Array | undefined> => {
    over = true;
    const events = await throughStages(stages, last, ending);
    call.finish();
    return bytesOf(events);
  };
  const leave = (events: readonly StreamEvent[]): Uint8Array | undefined => {
    if (stages.some(({ isOver }) => isOver?.() === true)) {
      over = true;
      cancel();
    }
    return bytesOf(events);
  };
  /** At once, unless a stage waits: nearly every piece of a stream passes here. */
  const goOn = (chunk: Uint8Array): Told | Promise<Told> => {
    const cut = cutter.push(chunk);
    const unreadable = cutter.failure();
    if (unreadable !== undefined) {
      body.cancel();
      return finish(cut, { unreadable });
    }
    const events = throughStages(stages, cut);
    return events instanceof Promise ? events.then(leave) : leave(events);
  };
  const cancel = (): void => {
    call.finish();
    body.cancel();
  };
  return {
    read: async () => {
      for (;;) {
        if (over) return undefined;
        let chunk: Uint8Array | undefined;
        try {
          chunk = await body.read();
        } catch (error) {
          // The request itself was given up: nobody is there to be told.
          if (cancellation.reason !== undefined) throw error;
          return finish([], 'broken off');
        }
        const told = chunk === undefined ? finish(cutter.end(), 'whole') : goOn(chunk);
        const now = told instanceof Promise ? await told : told;
        // What came may be too small to tell anything.
        if (now !== undefined) return now;
      }
    },
    cancel,
    length: undefined,
  };
}

/** What the client is told next; undefined for nothing, or nothing yet. */
type Told = Uint8Array | undefined;

/** Undefined for no events: a chunk is never empty. */
function bytesOf(events: readonly StreamEvent[]): Uint8Array | undefined {
  if (events.length < 2) return events[0]?.bytes;
  return joined(events.map(({ bytes }) => bytes));
}

/** Without a copy where all of them came side by side and stayed as they were. */
function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces;
  if (first === undefined) return Buffer.alloc(0);
  const end = pieces.reduce<number | undefined>((at, { buffer, byteOffset, byteLength }) => {
    return buffer === first.buffer && byteOffset === at ? at + byteLength : undefined;
  }, first.byteOffset);
  return end === undefined
    ? Buffer.concat(pieces)
    : Buffer.from(first.buffer, first.byteOffset, end - first.byteOffset);
}
