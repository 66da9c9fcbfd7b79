import { isOfQuietMachine, RED } from '../verdict/settle.ts';
import type { CaseResult } from './case-result.ts';

/**
 * What a provisional result comes to where the run ends before the case was seen again: what is red on a quiet machine stands, what is red
 * on a busy one accuses nobody.
 */
export function seenOnce(result: CaseResult): CaseResult {
  if (!RED.has(result.verdict) || isOfQuietMachine(result)) return result;
  const { fault: _, ...rest } = result;
  const said = result.reason === '' ? result.verdict : `${result.verdict} (${result.reason})`;
  return {
    ...rest,
    verdict: 'unstable',
    reason: `${said} on a busy machine, and the run ended before it was seen again`,
  };
}
