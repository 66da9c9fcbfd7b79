import { describe, expect, test } from 'vitest';
import { Bucket } from '../../../../policies/traffic/rate-limit/bucket.ts';
import {
  bookTokens,
  compileLocal,
  decideLocal,
  type CompiledLocal,
} from '../../../../policies/traffic/rate-limit/local.ts';
import type { LocalRateLimit } from '../../../../resources/proxy-policy/fields/rate-limit.ts';
import { SERVICES } from '../../../support/inert.ts';
import { manualClock, type ManualClock } from '../../../trace/manual-clock.ts';
import { exchangeOf, fields } from '../../support/exchange.ts';

/** How many of so many requests pass. */
function passing(entries: CompiledLocal, times: number, clock: ManualClock): number {
  const exchange = { ...exchangeOf(), clock };
  return Array.from({ length: times }, () => decideLocal(exchange, entries, SERVICES)).filter(
    ({ kind }) => kind === 'continue',
  ).length;
}

function refusalOf(entries: CompiledLocal, clock: ManualClock): Record<string, string> {
  const outcome = decideLocal({ ...exchangeOf(), clock }, entries, SERVICES);
  if (outcome.kind !== 'answer') throw new Error('the request passed');
  expect(outcome.answer).toMatchObject({ status: 429, from: 'failure' });
  return fields(outcome.answer.headers);
}

describe('requests', () => {
  test.each<[LocalRateLimit, number]>([
    [{ requests: 3, unit: 'Seconds' }, 1000],
    [{ requests: 3, unit: 'Minutes' }, 60_000],
    [{ requests: 3, unit: 'Hours' }, 3_600_000],
  ])('RATE-005, RATE-007: %j come back after its unit, and not before', (entry, unit) => {
    const clock = manualClock();
    const entries = compileLocal([entry]);
    expect(passing(entries, 5, clock)).toBe(3);
    clock.advance(unit - 1);
    expect(passing(entries, 5, clock)).toBe(0);
    clock.advance(1);
    expect(passing(entries, 5, clock)).toBe(3);
    clock.advance(10 * unit);
    expect(passing(entries, 5, clock)).toBe(3);
  });

  test('RATE-006: burst comes on top, and fills up again at the rate', () => {
    const clock = manualClock();
    const entries = compileLocal([{ requests: 2, unit: 'Seconds', burst: 3 }]);
    expect(passing(entries, 9, clock)).toBe(5);
    clock.advance(1000);
    expect(passing(entries, 9, clock)).toBe(2);
    clock.advance(2000);
    expect(passing(entries, 9, clock)).toBe(4);
    clock.advance(60_000);
    expect(passing(entries, 9, clock)).toBe(5);
  });

  test('RATE-008: the tightest entry refuses, and a refused request counts nowhere', () => {
    const clock = manualClock();
    const entries = compileLocal([
      { requests: 5, unit: 'Hours' },
      { requests: 1, unit: 'Seconds' },
    ]);
    expect(passing(entries, 50, clock)).toBe(1);
    clock.advance(1000);
    expect(passing(entries, 50, clock)).toBe(1);
    for (let second = 0; second < 10; second += 1) {
      clock.advance(1000);
      passing(entries, 1, clock);
    }
    expect(refusalOf(entries, clock)['x-ratelimit-limit']).toBe('5');
    clock.advance(3_600_000);
    expect(passing(entries, 1, clock)).toBe(1);
  });

  test('a refusal says how much there is and when more comes, in whole seconds', () => {
    const clock = manualClock();
    const entries = compileLocal([{ requests: 1, unit: 'Minutes', burst: 1 }]);
    passing(entries, 2, clock);
    clock.advance(10_500);
    expect(refusalOf(entries, clock)).toEqual({
      'content-type': 'text/plain',
      'x-ratelimit-limit': '2',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '49',
    });
  });
});

describe('tokens', () => {
  test('RATE-010, RATE-011: what was booked refuses later requests until the window is over', () => {
    const clock = manualClock();
    const entries = compileLocal([{ tokens: 100, unit: 'Minutes' }]);
    expect(passing(entries, 3, clock)).toBe(3);
    bookTokens(entries, 60, { clock }, SERVICES);
    expect(passing(entries, 3, clock)).toBe(3);
    bookTokens(entries, 4000, { clock }, SERVICES);
    expect(passing(entries, 3, clock)).toBe(0);
    clock.advance(60_000);
    expect(passing(entries, 3, clock)).toBe(3);
  });

  test('what was booked too much comes back, up to the capacity', () => {
    const clock = manualClock();
    const entries = compileLocal([{ tokens: 10, unit: 'Hours' }]);
    bookTokens(entries, 10, { clock }, SERVICES);
    expect(passing(entries, 1, clock)).toBe(0);
    bookTokens(entries, -4, { clock }, SERVICES);
    expect(passing(entries, 1, clock)).toBe(1);
    bookTokens(entries, -400, { clock }, SERVICES);
    bookTokens(entries, 10, { clock }, SERVICES);
    expect(passing(entries, 1, clock)).toBe(0);
  });

  test('tokens are not taken from entries that count requests', () => {
    const clock = manualClock();
    const entries = compileLocal([{ requests: 2, unit: 'Hours' }]);
    bookTokens(entries, 50, { clock }, SERVICES);
    expect(passing(entries, 3, clock)).toBe(2);
  });
});

test('a bucket holds no timer and no list, so there can be a million of them', () => {
  const rate = { capacity: 5, amount: 5, interval: 1000 };
  const buckets = Array.from({ length: 1_000_000 }, () => new Bucket(rate));
  for (const bucket of buckets) bucket.take(1, 0);
  expect(buckets.every((bucket) => bucket.available(999) === 4 && bucket.available(1000) === 5)).toBe(true);
});
