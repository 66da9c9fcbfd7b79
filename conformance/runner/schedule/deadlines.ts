import { UNLIMITED_MS } from '../sut/attendant.ts';
import { parseDuration } from '../sut/duration.ts';
import type { Manifest } from '../sut/manifest.ts';
import { afterFair } from '../sut/time/fair-time.ts';

const CASE_LIMIT_MS = 60_000;

/** Time that one case may take altogether; a guard against the suite's own mistakes, steps have their own limits. */
export function caseLimitMs({ attendant }: Manifest): number {
  return attendant === undefined ? CASE_LIMIT_MS : Infinity;
}

/**
 * Limit of a step: its own `within` or the manifest's timeout, stretched by the manifest's time scale. Where somebody attends the run there
 * is none but their word.
 */
export function stepLimitMs(within: string | undefined, manifest: Manifest): number {
  if (manifest.attendant !== undefined) return UNLIMITED_MS;
  const written = within === undefined ? undefined : parseDuration(within);
  return Math.ceil((written ?? parseDuration(manifest.tune.timeout) ?? 2000) * manifest.tune.timeScale);
}

/** The work's result, or a DeadlineError with the message after so much fair time; the work itself is told by the signal. */
export async function withDeadline<T>(
  work: (signal: AbortSignal) => Promise<T>,
  limitMs: number,
  message: string,
): Promise<T> {
  const controller = new AbortController();
  const late = Promise.withResolvers<never>();
  const cancel = afterFair(limitMs, () => {
    controller.abort();
    late.reject(new DeadlineError(message));
  });
  try {
    return await Promise.race([work(controller.signal), late.promise]);
  } finally {
    cancel();
  }
}

/** Something did not end in time. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}
