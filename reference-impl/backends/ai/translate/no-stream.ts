import type { Format } from '../formats/format.ts';
import { stopAtErrors } from './stop-at-errors.ts';
import type { StreamTranslator } from './translation.ts';

/** For formats whose replies come in one piece: a stream of the provider is an error. */
export function noStream(client: Format): StreamTranslator {
  return stopAtErrors(client, { data: () => [], done: () => [], stopped: () => undefined, complete: () => false });
}
