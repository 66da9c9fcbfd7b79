import { isJson, type Json } from '../../../json.ts';
import { CACHE_POINT, MOST_CACHE_POINTS } from '../../formats/converse/cache-point.ts';

/** Turns `cache_control` marks into cache points. */
export interface CachePoints {
  /** The content, and a cache point after it when the block it was made of has a mark. */
  readonly after: (content: readonly Json[], block: Json) => readonly Json[];
}

/** For one request: the first marks count, in the order system, messages, tools. */
export function cachePoints(): CachePoints {
  let left = MOST_CACHE_POINTS;
  return {
    after: (content, block) => {
      if (!isJson(block['cache_control']) || content.length === 0 || left === 0) return content;
      left -= 1;
      return [...content, CACHE_POINT];
    },
  };
}
