import type { Cancellation } from '../../../base/cancellation.ts';
import { GuardFailure } from './guard.ts';
import type { Work } from './mask.ts';

/** About a second of a processor: 40,000 telephone numbers, or each of the other builtins three times over 2 MiB. */
const BUDGET = 64 * 1024 * 1024;

/** A few milliseconds. */
const AT_ONCE = 256 * 1024;

export function workBudget(cancellation: Cancellation): Work {
  let left = BUDGET;
  let untilPause = AT_ONCE;
  return {
    spend: async (steps) => {
      left -= steps;
      untilPause -= steps;
      if (untilPause < 0) {
        untilPause = AT_ONCE;
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (cancellation.reason !== undefined) throw cancellation.reason;
      if (left < 0) throw new GuardFailure('looking for builtins in this body takes too long');
    },
  };
}
