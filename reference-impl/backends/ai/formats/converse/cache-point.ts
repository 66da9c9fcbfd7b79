import type { Json } from '../../../json.ts';

/** What comes before it may be kept by the provider. */
export const CACHE_POINT: Json = { cachePoint: { type: 'default' } };

/** The provider takes no more of them in one request. */
export const MOST_CACHE_POINTS = 4;

export function isCachePoint(part: unknown): boolean {
  return typeof part === 'object' && part !== null && 'cachePoint' in part;
}
