import { describe, expect, test } from 'vitest';
import type { Clock } from '../../../../base/clock.ts';
import { invariant } from '../../../../base/invariant.ts';
import type { Decision } from '../../../../policies/traffic/ext-auth/decision.ts';
import { compileCache, placeIn, type Place } from '../../../../policies/traffic/ext-auth/cache.ts';
import type { ExtAuthCache } from '../../../../resources/proxy-policy/fields/ext-auth.ts';
import { SERVICES } from '../../../support/inert.ts';
import { exchangeOf } from '../../support/exchange.ts';

/** 2030-01-01T00:00:00Z */
const START = 1_893_456_000_000;

/** A clock that stands still until it is moved. */
function stoppedClock(): Clock & { move: (milliseconds: number) => void } {
  let now = 0;
  return {
    monotonic: () => now,
    wall: () => START + now,
    after: () => () => {},
    move: (milliseconds) => {
      now += milliseconds;
    },
  };
}

const allowed = (size = 0): Decision => ({
  allowed: true,
  edit: (request) => request,
  replyHeaders: [],
  metadata: undefined,
  reusable: true,
  size,
});

interface Kept {
  readonly keep: (key: unknown, decision?: Decision) => Promise<void>;
  readonly has: (key: unknown) => boolean;
  readonly clock: ReturnType<typeof stoppedClock>;
}

/** A cache whose only key is the metadata of the request. */
function cacheOf(given: Partial<ExtAuthCache> = {}): Kept {
  const clock = stoppedClock();
  const exchange = { ...exchangeOf(), clock };
  const cache = compileCache({ key: ['metadata'], ttl: '1h', ...given });
  const place = (key: unknown): Place => {
    const found = placeIn(cache, () => key, SERVICES);
    invariant(found !== undefined, 'the key can be cached');
    return found;
  };
  return {
    clock,
    keep: async (key, decision = allowed()) => {
      await place(key).keep(decision, exchange);
    },
    has: (key) => place(key).recall(clock) !== undefined,
  };
}

describe('cache of decisions', () => {
  test('EXTAUTH-037: ten thousand by default, and the one that was unused longest goes', async () => {
    const { keep, has } = cacheOf();
    for (let key = 0; key < 10_000; key += 1) await keep(key);
    expect(has(0)).toBe(true);
    await keep(10_000);
    expect(has(10_000)).toBe(true);
    expect(has(0)).toBe(true);
    expect(has(1)).toBe(false);
  });

  test('EXTAUTH-036: an absurd maxEntries reserves no absurd memory', () => {
    expect(() => cacheOf({ maxEntries: 2 ** 40 })).not.toThrow();
  });

  test('large decisions do not fill the memory', async () => {
    const { keep, has } = cacheOf();
    const megabyte = 1024 * 1024;
    for (let key = 0; key < 100; key += 1) await keep(key, allowed(megabyte));
    expect(has(99)).toBe(true);
    expect(has(0)).toBe(false);
    await keep('too large', allowed(65 * megabyte));
    expect(has('too large')).toBe(false);
  });

  test.each([
    ['1500ms', 1500],
    ["duration('1.5s')", 1500],
    ["'1500ms'", 1500],
    ["timestamp('2030-01-01T00:00:01.5Z')", 1500],
    ['1893456001.5', 1500],
  ])('EXTAUTH-029: ttl %s ends exactly', async (ttl, length) => {
    const { keep, has, clock } = cacheOf({ ttl });
    await keep('a');
    clock.move(length - 1);
    expect(has('a')).toBe(true);
    clock.move(1);
    expect(has('a')).toBe(false);
  });

  test.each([
    "duration('0s')",
    "duration('-1s')",
    "timestamp('2029-12-31T23:59:59Z')",
    '0',
    '1 +',
    'request.none',
    "'soon'",
    'true',
  ])('ttl %s keeps nothing', async (ttl) => {
    const { keep, has } = cacheOf({ ttl });
    await keep('a');
    expect(has('a')).toBe(false);
  });

  test('what is not reusable is not kept', async () => {
    const { keep, has } = cacheOf();
    await keep('a', { ...allowed(), reusable: false });
    expect(has('a')).toBe(false);
  });

  test('values of different types are different keys', async () => {
    const { keep, has } = cacheOf();
    await keep('1');
    for (const other of [1, true, null, '', new Uint8Array([0x31])]) expect(has(other)).toBe(false);
    expect(has('1')).toBe(true);
  });

  test.each([[['a']], [{ a: 1 }], [undefined]])('EXTAUTH-034, EXTAUTH-035: %j is no key', (value) => {
    const cache = compileCache({ key: ['metadata', 'metadata.none'], ttl: '1h' });
    expect(placeIn(cache, () => value, SERVICES)).toBeUndefined();
  });
});
