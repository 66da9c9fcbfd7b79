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
  const goOn = async (chunk: Uint8Array): Promise<Uint8Array | undefined> => {
    const cut = cutter.push(chunk);
    const unreadable = cutter.failure();
    if (unreadable !== undefined) {
      body.cancel();
      return finish(cut, { unreadable });
    }
    const events = await throughStages(stages, cut);
    if (stages.some(({ isOver }) => isOver?.() === true)) {
      over = true;
      cancel();
    }
    return bytesOf(events);
  };
  const next = async (): Promise<Uint8Array | undefined> => {
    let chunk: Uint8Array | undefined;
    try {
      chunk = await body.read();
    } catch (error) {
      // The request itself was given up: nobody is there to be told.
      if (cancellation.reason !== undefined) throw error;
      return finish([], 'broken off');
    }
    return chunk === undefined ? finish(cutter.end(), 'whole') : goOn(chunk);
  };
  const cancel = (): void => {
    call.finish();
    body.cancel();
  };
  return {
    read: async () => {
      for (;;) {
        if (over) return undefined;
        const told = await next();
        // What came may be too small to tell anything.
        if (told !== undefined) return told;
      }
    },
    cancel,
    length: undefined,
  };
}

/** Undefined for no events: a chunk is never empty. */
function bytesOf(events: readonly StreamEvent[]): Uint8Array | undefined {
  if (events.length < 2) return events[0]?.bytes;
  return Buffer.concat(events.map(({ bytes }) => bytes));
}
