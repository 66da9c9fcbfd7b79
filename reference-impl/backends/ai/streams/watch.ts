import { Buffer } from 'node:buffer';
import type { Body } from '../../../base/body.ts';
import { throughStages, type Passed, type Way } from './stage.ts';
import type { StreamEvent } from './stream-event.ts';

/** Cuts the bytes of a stream into events, for who watches it; what is encoded takes a moment. */
export interface EventReader {
  readonly push: (bytes: Uint8Array) => Passed;
  readonly end: () => Passed;
  readonly failure: () => string | undefined;
}

/**
 * A stream that passes byte for byte, each piece as it came, while its events are watched. What the stages have to say
 * when the provider breaks off is the end of it. A slow reader slows the provider down (docs/decisions/llm-streams.md).
 */
export function watchedStream(body: Body, reader: EventReader, { stages, call, cancellation }: Way): Body {
  let over = false;

  const watch = (cut: Passed): Passed =>
    cut instanceof Promise ? cut.then((events) => throughStages(stages, events)) : throughStages(stages, cut);
  const finish = async (): Promise<readonly StreamEvent[]> => {
    const left = await watch(reader.end());
    call.finish();
    return left;
  };
  const brokeOff = async (error: unknown): Promise<Uint8Array> => {
    // The request itself was given up: nobody is there to be told.
    if (cancellation.reason !== undefined) throw error;
    over = true;
    const left = await finish();
    const last = await throughStages(stages, [], 'broken off');
    if (last.length === 0) throw error;
    const isInside = left.length > 0 || reader.failure() !== undefined;
    return Buffer.concat([...(isInside ? [END_OF_EVENT] : []), ...last.map(({ bytes }) => bytes)]);
  };
  return {
    read: async () => {
      if (over) return undefined;
      let chunk: Uint8Array | undefined;
      try {
        chunk = await body.read();
      } catch (error) {
        return brokeOff(error);
      }
      if (chunk === undefined) await finish();
      else await watch(reader.push(chunk));
      return chunk;
    },
    cancel: () => {
      void watch(reader.end());
      call.finish();
      body.cancel();
    },
    length: undefined,
  };
}

const END_OF_EVENT = Buffer.from('\n\n');
