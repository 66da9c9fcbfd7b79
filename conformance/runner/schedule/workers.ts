import { availableParallelism } from 'node:os';
import type { Manifest } from '../sut/manifest.ts';
import { stretchNow } from '../sut/time/fair-time.ts';

/** Who decided how many workers there are at most: `--workers`, `tune.parallel` of the manifest, or the machine. */
export const WORKERS_BY = ['user', 'manifest', 'machine'] as const;

/** How many cases ran at the same time: at most, at the worst moment, and who decided. */
export interface WorkersTale {
  readonly most: number;
  readonly least: number;
  readonly by: (typeof WORKERS_BY)[number];
}

/** How many cases may run at the same time. */
export interface Workers {
  readonly most: number;
  /** As many as at this moment: fewer on a starved machine, and more again when it is not. At least one. */
  readonly now: () => number;
  readonly tale: () => WorkersTale;
}

/** A case waits far more than it works: with four a CPU, the suite takes a fifth longer on a quiet machine of two. */
const PER_CPU = 10;

/** The workers of a run. Who attends it looks at one case at a time. What the user asks for stays; otherwise there are fewer while the machine is starved. */
export function workersFor({ tune, attendant }: Pick<Manifest, 'tune' | 'attendant'>, wanted?: number): Workers {
  if (attendant !== undefined) return fixedWorkers(1);
  if (wanted !== undefined) return fixedWorkers(wanted);
  return tune.parallel === undefined
    ? adaptWorkers(availableParallelism() * PER_CPU, 'machine')
    : adaptWorkers(tune.parallel, 'manifest');
}

/** So many workers, whatever happens. */
export function fixedWorkers(most: number): Workers {
  return { most, now: () => most, tale: () => ({ most, least: most, by: 'user' }) };
}

const LOOK_MS = 1000;
/** Limits that are longer by so much show that the workers are in each other's way: half of them go on … */
const STARVED = 5;
/** … down to one of so many … */
const FEWER = 5;
/** … and below this there is room for twice as many. A run that fills a quiet machine stretches its own limits by about two. */
const AT_EASE = 3;

/** Where time and stretch come from; tests bring their own. */
interface Senses {
  readonly time: () => number;
  readonly stretch: () => number;
}

/** Half as many workers after a second that starved them, down to a fifth; twice as many after every second in which they were at ease. */
export function adaptWorkers(
  most: number,
  by: WorkersTale['by'],
  { time, stretch }: Senses = { time: () => performance.now(), stretch: stretchNow },
): Workers {
  let number = most;
  let least = most;
  let looked = time();
  return {
    most,
    tale: () => ({ most, least, by }),
    now: () => {
      if (time() - looked < LOOK_MS) return number;
      looked = time();
      const lost = stretch();
      if (lost >= STARVED) number = Math.max(Math.ceil(most / FEWER), Math.ceil(number / 2));
      else if (lost < AT_EASE) number = Math.min(most, number * 2);
      least = Math.min(least, number);
      return number;
    },
  };
}
