import type { Format } from '../format.ts';
import { guardedStream } from './guarded-stream.ts';
import type { StreamTranslator } from './translation.ts';

/** For formats whose replies come in one piece: a stream of the provider is an error. */
export function unstreamed(client: Format): StreamTranslator {
  return guardedStream(client, { data: () => [], done: () => [], stopped: () => undefined, complete: () => false });
}
