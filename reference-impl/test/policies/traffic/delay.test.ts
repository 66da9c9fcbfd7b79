import { describe, expect, test } from 'vitest';
import { Cancellation } from '../../../base/cancellation.ts';
import type { Clock } from '../../../base/clock.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import type { Routed } from '../../../exchange/exchange.ts';
import { delay } from '../../../policies/traffic/delay.ts';
import { exchangeOf, type Given } from '../support/exchange.ts';
import { ORIGIN, SERVICES } from '../../support/inert.ts';

/** A clock that notes what is asked of it and lets the time pass at once, or never. */
function noting(runs: boolean): { clock: Clock; waits: number[]; stopped: () => number } {
  const waits: number[] = [];
  let stopped = 0;
  const after: Clock['after'] = (milliseconds, task) => {
    waits.push(milliseconds);
    if (runs) queueMicrotask(task);
    return () => {
      stopped += 1;
    };
  };
  return { clock: { monotonic: () => 0, wall: () => 0, after }, waits, stopped: () => stopped };
}

function exchange(clock: Clock, { timeout, ...given }: Given & { timeout?: string } = {}): Routed {
  const before = exchangeOf(given);
  const timeouts = timeout === undefined ? {} : { timeouts: { request: timeout } };
  const rule = { ...before.rule, postRouting: { ...before.rule.postRouting, ...timeouts } };
  return { ...before, clock, rule };
}

describe('delay', () => {
  test.each([
    ['2s', 2000],
    ['1m30s', 90_000],
    ["'2s'", 2000],
    ['250', 250],
    ['0.5', 0.5],
    ["duration('1.5s')", 1500],
    ["request.method == 'POST' ? 100 : 0", 100],
    ['size(request.body)', 5],
    ['1000000000000', 2 ** 31 - 1],
  ])('%s', async (duration, milliseconds) => {
    const { clock, waits } = noting(true);
    const given = exchange(clock, { method: 'POST', body: 'hello' });
    const outcome = await delay.request?.(given, delay.compile({ duration }, ORIGIN), SERVICES);
    expect(waits).toEqual([milliseconds]);
    expect(outcome).toMatchObject({ kind: 'change', handover: { delay: milliseconds } });
  });

  test.each([
    '0',
    '0s',
    '-1',
    "duration('-5s')",
    'true',
    "'soon'",
    'jwt.sub',
    '1 +',
    '0.0 / 0.0',
    '1.0 / 0.0 - 1.0 / 0.0',
  ])('no delay: %s', async (duration) => {
    const { clock, waits } = noting(true);
    const outcome = await delay.request?.(exchange(clock), delay.compile({ duration }, ORIGIN), SERVICES);
    expect(outcome).toEqual({ kind: 'continue' });
    expect(waits).toEqual([]);
  });

  test('DELAY-006: a delay longer than the request timeout ends with it', async () => {
    const { clock, waits } = noting(true);
    const compiled = delay.compile({ duration: '3s' }, ORIGIN);
    const outcome = delay.request?.(exchange(clock, { timeout: '2s' }), compiled, SERVICES);
    await expect(outcome).rejects.toMatchObject({ code: 'requestTimeout' });
    expect(waits).toEqual([2000]);
  });

  test('a client that goes is not waited for', async () => {
    const { clock, stopped } = noting(false);
    const cancellation = new Cancellation();
    const given = { ...exchange(clock), cancellation };
    const outcome = delay.request?.(given, delay.compile({ duration: '3s' }, ORIGIN), SERVICES);
    cancellation.cancel(new ProxyError('clientGone'));
    await expect(outcome).rejects.toMatchObject({ code: 'clientGone' });
    expect(stopped()).toBe(1);
    await expect(delay.request?.(given, delay.compile({ duration: '3s' }, ORIGIN), SERVICES)).rejects.toThrow();
  });
});
