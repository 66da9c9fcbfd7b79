import { constants, setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';

/** What a thread of the hostile side is given as its data. */
export const HOSTILE_SIDE = 'of the hostile side';

/**
 * Where it is told how long a polite client waits, threads of the hostile side have what others leave of the CPU, as if they were on another
 * machine. On Linux this is about the thread that calls it alone.
 */
export function standBack(): void {
  if (workerData === HOSTILE_SIDE && process.env['POLITE_REQUESTS'] !== undefined)
    setPriority(constants.priority.PRIORITY_LOW);
}
