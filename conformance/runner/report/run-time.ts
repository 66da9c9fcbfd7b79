import type { WorkersTale } from '../schedule/workers.ts';
import type { FairTale } from '../sut/time/fair-clock.ts';

/** What the machine did to the time of a run. */
export interface RunTime extends FairTale {
  /** The share of the run in which something on this machine waited for a CPU; absent where the system does not say. */
  readonly pressure?: number;
}

/** Below this nobody needs to hear of it. */
const WORTH_TELLING = 1.2;

/** Says that there were fewer workers at times; undefined when there were not. */
export function workersLine({ most, least }: WorkersTale): string | undefined {
  return least === most ? undefined : `the machine was starved: down to ${least} of ${most} workers`;
}

/** In one line how busy the machine was and what that did to the limits; undefined on a quiet one. */
export function busyLine({ stretch, overtimes, lostMs, pressure }: RunTime): string | undefined {
  if (stretch < WORTH_TELLING) return undefined;
  const lost = [
    ['this process came late by', lostMs.runner],
    ['the implementation waited for a CPU for', lostMs.programs],
    ['others took CPU time for', lostMs.machine],
    ['heartbeats were late by', lostMs.heartbeat],
  ] as const;
  const parts = lost.flatMap(([what, ms]) => (ms < 500 ? [] : [`${what} ${(ms / 1000).toFixed(1)} s`]));
  const waits = overtimes === 0 ? 'no wait needed that' : `${overtimes} waits needed that`;
  const share =
    pressure === undefined ? [] : [`something waited for a CPU ${Math.round(pressure * 100)} % of the time`];
  return `the machine was busy: limits were up to ${stretch.toFixed(1)} times as long, ${waits}; ${[...parts, ...share].join(', ')}`;
}
