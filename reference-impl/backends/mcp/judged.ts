import type { Asked } from './asked.ts';
import { hasRules } from './authorization.ts';
import { guardsOf } from './guards/guard.ts';

/**
 * Whether somebody looks at responses before clients get them. What came after the client had gone would pass unseen on a
 * stream that goes on where another ended, so then there is no such stream.
 */
export function isJudged(asked: Asked): boolean {
  return hasRules(asked) || guardsOf(asked.exchange.backend.policies).length > 0;
}
