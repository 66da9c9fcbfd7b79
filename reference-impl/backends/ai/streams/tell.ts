import type { Json } from '../../json.ts';
import { watching, type Stage } from './stage.ts';

/** RATE-019: what expressions are told of a stream is what the client gets, after its guards. */
export function tellStage(say: (event: Json) => void): Stage {
  return watching(({ json }) => {
    if (json !== undefined) say(json);
  });
}
