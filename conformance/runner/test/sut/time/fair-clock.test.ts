import { describe, expect, test } from 'vitest';
import { createFairClock, MOST_STRETCH, type FairClock, type Losses } from '../../../sut/time/fair-clock.ts';

/** A machine whose time the test moves, and on which it says what is lost. */
interface Machine {
  readonly clock: FairClock;
  /** Lets wall time pass; this process comes to what was due with so much delay each time. */
  readonly pass: (ms: number, lateMs?: number) => void;
  /** What is lost of each millisecond from now on. */
  share: Partial<Record<keyof Omit<Losses, 'runner'>, number>>;
}

function machine(): Machine {
  let now = 0;
  let due: { readonly at: number; readonly callback: () => void } | undefined;
  const self: Machine = {
    share: {},
    clock: createFairClock({
      now: () => now,
      losses: (interval) => ({
        programs: (self.share.programs ?? 0) * interval,
        machine: (self.share.machine ?? 0) * interval,
        heartbeat: (self.share.heartbeat ?? 0) * interval,
      }),
      schedule: (callback, ms) => {
        const planned = { at: now + ms, callback };
        due = planned;
        return () => {
          if (due === planned) due = undefined;
        };
      },
    }),
    pass: (ms, lateMs = 0) => {
      const end = now + ms;
      while (due !== undefined && due.at + lateMs <= end) {
        const { at, callback } = due;
        due = undefined;
        now = at + lateMs;
        callback();
      }
      now = end;
    },
  };
  return self;
}

/** Wall time until a limit passes. */
function wallOf(ms: number, on: Machine, lateMs = 0): number {
  const passed: true[] = [];
  on.clock.after(ms, () => passed.push(true));
  let wall = 0;
  while (passed.length === 0 && wall < 200_000) {
    on.pass(1, lateMs);
    wall += 1;
  }
  return wall;
}

describe('a limit of 2000 ms', () => {
  test('is 2000 ms where nothing is lost', () => {
    const on = machine();
    expect(wallOf(2000, on)).toBeGreaterThanOrEqual(2000);
    expect(wallOf(2000, machine())).toBeLessThan(2030);
    expect(on.clock.tale()).toMatchObject({ stretch: 1, overtimes: 0 });
  });

  test.each([
    ['the programs wait for a CPU half of the time', { programs: 0.5 }, 2],
    ['the host takes two thirds of the CPU', { machine: 2 / 3 }, 3],
    ['both at once', { programs: 0.25, machine: 0.25 }, 2],
    ['a heartbeat is on its way all the time', { heartbeat: 0.75 }, 4],
    ['a heartbeat shows what the others show too', { programs: 0.5, heartbeat: 0.5 }, 2],
  ])('is stretched when %s', (_, share, times) => {
    const on = machine();
    on.share = share;
    expect(wallOf(2000, on) / 2000).toBeCloseTo(times, 0);
    expect(on.clock.stretch()).toBeCloseTo(times, 0);
  });

  test('is stretched when this process is late, as much as it is', () => {
    expect(wallOf(2000, machine(), 75) / 2000).toBeGreaterThan(2.5);
    expect(wallOf(2000, machine(), 4) / 2000).toBeLessThan(1.25);
  });

  test('is never stretched more than so many times', () => {
    const on = machine();
    on.share = { programs: 1, machine: 1 };
    const wall = wallOf(2000, on);
    expect(wall / 2000).toBeGreaterThan(MOST_STRETCH - 1);
    expect(wall / 2000).toBeLessThan(MOST_STRETCH + 0.2);
  });

  test('is as it was when the machine is quiet again', () => {
    const on = machine();
    on.share = { programs: 0.75 };
    wallOf(2000, on);
    on.share = {};
    wallOf(4000, on);
    expect(wallOf(2000, on) / 2000).toBeCloseTo(1, 1);
    expect(on.clock.stretch()).toBe(1);
    expect(on.clock.tale().stretch).toBeGreaterThan(3);
  });
});

describe('waiting', () => {
  test('that is called off never calls back; one that took longer than its limit is counted', () => {
    const on = machine();
    const called: string[] = [];
    const calm = on.clock.after(100, () => called.push('calm'));
    on.pass(50);
    calm();
    on.share = { programs: 0.8 };
    const busy = on.clock.after(100, () => called.push('busy'));
    on.pass(300);
    busy();
    on.pass(10_000);
    expect(called).toEqual([]);
    expect(on.clock.tale().overtimes).toBe(1);
  });

  test('of several ends in the order of their limits', () => {
    const on = machine();
    const called: number[] = [];
    for (const ms of [300, 10, 100]) on.clock.after(ms, () => called.push(ms));
    on.pass(400);
    expect(called).toEqual([10, 100, 300]);
  });

  test('ends when its time is said to have passed, but for what is spared', () => {
    const on = machine();
    const called: string[] = [];
    on.clock.after(1000, () => called.push('long'));
    on.clock.after(100, () => called.push('short'));
    on.clock.pass(1000, 500);
    on.pass(50);
    expect(called).toEqual(['long']);
    on.pass(60);
    expect(called).toEqual(['long', 'short']);
  });

  test('of nobody costs nothing, and all of that time counts', () => {
    const on = machine();
    on.share = { programs: 0.9 };
    const before = on.clock.now();
    on.pass(1000);
    expect(on.clock.now() - before).toBe(1000);
    expect(on.clock.tale().waitedMs).toBe(0);
  });
});
