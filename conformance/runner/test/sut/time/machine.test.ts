import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { describe, expect, test } from 'vitest';
import { createTakenMeter, createWaitMeter, pressureMs } from '../../../sut/time/machine.ts';

const isLinux = existsSync('/proc/self/schedstat');

/** Burns CPU in so many processes until the work is done; they end by themselves after ten seconds. */
async function besideHogs(count: number, work: (pids: readonly number[]) => Promise<void>): Promise<void> {
  const burn = 'const end = performance.now() + 10_000; while (performance.now() < end) Math.sqrt(Math.random());';
  const hogs = Array.from({ length: count }, () => spawn(process.execPath, ['-e', burn], { stdio: 'ignore' }));
  try {
    await work(hogs.flatMap(({ pid }) => pid ?? []));
  } finally {
    for (const hog of hogs) hog.kill('SIGKILL');
  }
}

describe.skipIf(!isLinux)('on Linux, where the system says what waited', () => {
  test('programs that fight for the CPUs are seen to wait', { timeout: 30_000 }, async () => {
    await besideHogs(2 * availableParallelism(), async (pids) => {
      const meter = createWaitMeter(() => pids);
      meter(0);
      let waited = 0;
      await expect.poll(() => (waited += meter(50)), { timeout: 9000, interval: 50 }).toBeGreaterThan(300);
    });
  });

  test(
    'of what a program waits for when it has just been started nothing is missed, and it is no more than has passed',
    { timeout: 30_000 },
    async () => {
      const started: number[] = [];
      const meter = createWaitMeter(() => started);
      meter(0);
      await besideHogs(4 * availableParallelism(), async (pids) => {
        started.push(...pids);
        const begun = performance.now();
        // One look in half a second: what came meanwhile is told all at once.
        await new Promise((resolve) => setTimeout(resolve, 500));
        const passed = performance.now() - begun;
        const waited = meter(passed);
        expect(waited).toBeGreaterThan(100);
        expect(waited).toBeLessThanOrEqual(passed);
      });
    },
  );

  test('one that sleeps waits for nothing, and one that is gone is no trouble', async () => {
    const sleeper = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 10_000)'], { stdio: 'ignore' });
    const meter = createWaitMeter(() => [sleeper.pid ?? 0, 999_999_999]);
    await new Promise((resolve) => sleeper.once('spawn', resolve));
    meter(0);
    const ended = new Promise((resolve) => sleeper.once('exit', resolve));
    sleeper.kill('SIGKILL');
    await ended;
    expect(meter(10)).toBe(0);
  });

  test('pressure is a number that never falls', () => {
    const first = pressureMs() ?? 0;
    expect((pressureMs() ?? 0) - first).toBeGreaterThanOrEqual(0);
  });
});

test('what the host takes is between nothing and everything', () => {
  const taken = createTakenMeter()(100);
  expect(taken).toBeGreaterThanOrEqual(0);
  expect(taken).toBeLessThanOrEqual(100);
});
