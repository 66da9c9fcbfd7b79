import type { Clock } from '../../base/clock.ts';

/** A clock that only moves when told to; due tasks run in order of their time. */
export interface ManualClock extends Clock {
  readonly advance: (milliseconds: number) => void;
}

export function manualClock(): ManualClock {
  let now = 0;
  let tasks: { readonly due: number; readonly task: () => void }[] = [];
  return {
    monotonic: () => now,
    wall: () => now,
    after: (delay, task) => {
      const entry = { due: now + delay, task };
      tasks.push(entry);
      return () => {
        tasks = tasks.filter((other) => other !== entry);
      };
    },
    advance: (milliseconds) => {
      const end = now + milliseconds;
      for (;;) {
        const [next] = tasks.toSorted((left, right) => left.due - right.due);
        if (next === undefined || next.due > end) break;
        tasks = tasks.filter((other) => other !== next);
        now = next.due;
        next.task();
      }
      now = end;
    },
  };
}
