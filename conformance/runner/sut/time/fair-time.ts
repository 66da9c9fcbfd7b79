import { createFairClock, type FairTale } from './fair-clock.ts';
import { createHeartbeat } from './heartbeat.ts';
import { createTakenMeter, createWaitMeter } from './machine.ts';
import { watchedPrograms } from './programs.ts';

// A process has one fair time, as it has one wall time.
const heartbeat = createHeartbeat();
const waited = createWaitMeter(watchedPrograms);
const taken = createTakenMeter();
const clock = createFairClock({
  now: () => performance.now(),
  losses: (intervalMs) => ({
    programs: waited(intervalMs),
    machine: taken(intervalMs),
    heartbeat: heartbeat.loss(intervalMs),
  }),
  schedule: (callback, ms) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
});

/** Milliseconds of fair time; only differences mean something. */
export const fairNow = clock.now;

/** Calls back after so many milliseconds of fair time. The answer calls it off. */
export const afterFair = clock.after;

/** Acts as if so many milliseconds had passed; waits that began with less than `sparedMs` go on as they were. */
export const letPass = clock.pass;

/** How much longer limits take at this moment; 1 on a quiet machine. */
export const stretchNow = clock.stretch;

/** What was lost so far, for the report. */
export const fairTale: () => FairTale = clock.tale;

/** Sends a request now and then, so that the clock sees how long the whole way takes. The answer ends it. */
export const startHeartbeat = heartbeat.start;

/** Does a work whose signal is aborted after so much fair time. */
export async function withLimit<Result>(ms: number, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const cancel = afterFair(ms, () => controller.abort(new DOMException('the limit has passed', 'TimeoutError')));
  try {
    return await work(controller.signal);
  } finally {
    cancel();
  }
}

/** True when one of the events comes within so much fair time. Rejects when the first of them does. */
export async function withinFair(events: readonly Promise<unknown>[], ms: number): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const cancel = afterFair(ms, () => late.resolve(false));
  try {
    return await Promise.race([...events.map(async (event) => event.then(() => true)), late.promise]);
  } finally {
    cancel();
  }
}
