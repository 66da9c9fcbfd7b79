import { readFileSync } from 'node:fs';
import { systemClock } from '../../base/clock.ts';
import { viewTrace } from '../trace-view/view-trace.ts';
import { followTrace, replayTrace, type TraceEnd, type TraceProgress } from './follow-trace.ts';
import { createRawPrinter } from './print-raw.ts';
import { reasonOf, TraceFailure } from './trace-failure.ts';
import { planTrace, type TraceFlags, type TracePlan } from './trace-plan.ts';

/** What was typed: resources before `--`, the flags, and the request after `--`. */
export interface TraceCommandLine {
  readonly resources: readonly string[];
  readonly flags: TraceFlags;
  readonly requestArguments: readonly string[];
}

/** Runs the trace command on the standard streams. Resolves to the exit code; what went wrong is on stderr. */
export async function runTrace({ resources, flags, requestArguments }: TraceCommandLine): Promise<number> {
  try {
    const plan = planTrace(resources, flags, requestArguments, readRequestFile);
    if (plan.raw) await printTrace(plan);
    else
      await viewTrace((progress, signal) => run(plan, progress, signal), plan.kind === 'replay' && plan.path === '-');
    return 0;
  } catch (error) {
    if (!(error instanceof TraceFailure)) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    return 1;
  }
}

async function printTrace(plan: TracePlan): Promise<void> {
  const reader = new AbortController();
  const print = createRawPrinter(process.stdout, () => {
    reader.abort();
  });
  const end = await run(plan, { armed: () => {}, sent: () => {}, payload: print }, reader.signal).catch(
    (error: unknown) => {
      // The reader has what it wanted; that the stream was cut off for it is no failure.
      if (reader.signal.aborted) return 'complete';
      throw error;
    },
  );
  if (end === 'cut' && plan.kind === 'live') process.stderr.write('the stream ended before the trace was complete\n');
}

function run(plan: TracePlan, progress: TraceProgress, signal: AbortSignal): Promise<TraceEnd> {
  if (plan.kind === 'replay') return replayTrace(plan, progress);
  return followTrace(plan, progress, { clock: systemClock, signal });
}

function readRequestFile(path: string): Buffer {
  try {
    return readFileSync(path === '-' ? 0 : path);
  } catch (error) {
    throw new TraceFailure(`failed to read ${path}: ${reasonOf(error)}`);
  }
}
