import type { Cancellation } from '../../../base/cancellation.ts';
import { GuardFailure } from './guard.ts';
import type { Work } from './mask.ts';

/** About a second of a processor: 30,000 comparisons of telephone numbers, or all the other builtins over 2 MiB. */
const BUDGET = 32 * 1024 * 1024;

/** A few milliseconds. */
const AT_ONCE = 256 * 1024;

/** What it takes to look at all: many small texts are work too. */
const EACH = 64;

export function workBudget(cancellation: Cancellation): Work {
  let left = BUDGET;
  let untilPause = AT_ONCE;
  const goOn = (): undefined => {
    if (cancellation.reason !== undefined) throw cancellation.reason;
    if (left < 0) throw new GuardFailure('looking for builtins in this body takes too long');
  };
  return {
    spend: (steps) => {
      left -= steps + EACH;
      untilPause -= steps + EACH;
      if (untilPause >= 0) return goOn();
      untilPause = AT_ONCE;
      return new Promise((resolve) => setImmediate(resolve)).then(goOn);
    },
  };
}
