import type { ChildProcess } from 'node:child_process';
import { cpuMicroseconds } from './cpu-time.ts';
import { drive, type Load } from './drive.ts';

/** Requests after which what is asked often is compiled, and the young generation has grown. */
export const WARM_UP = 20_000;

/** Of one turn of a process: as many however busy the machine is, a third of a second of a quiet one. */
export const REQUESTS = 2000;

export const CONNECTIONS = 32;

/** Drives a process once: requests per second, and microseconds of its CPU per request, which is no number where the system does not tell. */
export async function measureCost(
  child: ChildProcess,
  load: Omit<Load, 'connections'>,
): Promise<{ readonly rate: number; readonly micros: number }> {
  const before = cpuMicroseconds(child.pid);
  const { answers, seconds } = await drive({ ...load, connections: CONNECTIONS });
  return { rate: answers / seconds, micros: (cpuMicroseconds(child.pid) - before) / answers };
}

/** The value a fifth of the way from the least: what else a machine does makes rounds slower and none faster. */
export function fastestFifth(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 5)] ?? Number.NaN;
}

/** Of one number or more. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
