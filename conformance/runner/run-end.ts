import type { RunEnd, RunStart, TimedResult } from './report/events.ts';
import { summarize } from './report/summary.ts';
import type { RunTime } from './report/run-time.ts';
import { ImplementationFault, UsageFault } from './sut/session.ts';
import { fairTale } from './sut/time/fair-time.ts';
import { pressureMs } from './sut/time/machine.ts';
import { exitCode } from './verdict/exit-code.ts';
import { knownProblems, type KnownFailure } from './verdict/known-failures.ts';

/** How the execution of a run came to its end. */
export interface Ending {
  /** Why it could not be done to its last case, unless that is the user's wish. */
  readonly stopped?: 'usage' | 'implementation' | 'harness' | 'interrupted';
  /** For people: why there are cases without a result. */
  readonly why?: string;
  /** Ended by --bail: what was left out is the user's wish. */
  readonly bailed?: true;
  /** Crashes of the implementation. */
  readonly crashes: number;
}

/** What the results are held against. */
export interface Standard {
  /** Known failures. */
  readonly entries: readonly KnownFailure[];
  /** `YYYY-MM-DD`. */
  readonly today: string;
  /** Unstable cases do not keep the run from being green. */
  readonly allowUnstable: boolean;
}

/** A run, and how things stood when it began. */
export interface BegunRun extends RunStart {
  readonly began: number;
  readonly pressureBefore: number | undefined;
}

/** The moment in which a run begins. */
export function beginRun(run: RunStart): BegunRun {
  return { ...run, began: performance.now(), pressureBefore: pressureMs() };
}

/** What the reporters are told when the last result is in. */
export function runEnd(
  run: BegunRun,
  results: readonly TimedResult[],
  ending: Ending,
  standard: Standard,
): Omit<RunEnd, 'parallel'> {
  const { began, pressureBefore, ...start } = run;
  const durationMs = performance.now() - began;
  const problems = problemsOf(standard, results, ending);
  return {
    ...start,
    results,
    durationMs,
    summary: summarize(results),
    exitCode: exitCode({
      emptyShard: start.total === 0 && start.selection?.shard !== undefined,
      planned: ending.bailed === true ? results.length : start.total,
      results: results.map(({ case: { level }, verdict, fault }) => ({
        verdict,
        level,
        ...(fault === undefined ? {} : { fault }),
      })),
      knownProblems: problems.length,
      allowUnstable: standard.allowUnstable,
      ...(ending.stopped === undefined ? {} : { stopped: ending.stopped }),
    }),
    cutShort: ending.why,
    problems,
    crashes: ending.crashes,
    firstVerdictMs: results[0]?.sinceStartMs,
    time: timeOf(pressureBefore, durationMs),
  };
}

/** The ending of an execution that nothing threw out of. */
export function plainEnding(crashes: number, stop: { readonly user: AbortSignal; readonly bail: AbortSignal }): Ending {
  if (stop.user.aborted) return interruption(stop.user, crashes);
  return stop.bail.aborted ? { why: 'the first red case, as --bail asks', bailed: true, crashes } : { crashes };
}

/** The ending of an execution that was thrown out of. */
export function faultEnding(error: unknown, user: AbortSignal): Ending {
  if (user.aborted) return interruption(user, 0);
  if (error instanceof ImplementationFault) return { stopped: 'implementation', why: error.message, crashes: 0 };
  if (error instanceof UsageFault) return { stopped: 'usage', why: error.message, crashes: 0 };
  const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { stopped: 'harness', why, crashes: 0 };
}

function interruption({ reason }: AbortSignal, crashes: number): Ending {
  return { stopped: 'interrupted', why: String(reason), crashes };
}

function timeOf(pressureBefore: number | undefined, durationMs: number): RunTime {
  const now = pressureMs();
  if (now === undefined || pressureBefore === undefined) return fairTale();
  return { ...fairTale(), pressure: Math.min(1, (now - pressureBefore) / durationMs) };
}

/** Only a run that was not cut short can say that a listed failure is gone. */
function problemsOf({ entries, today }: Standard, results: readonly TimedResult[], ending: Ending): readonly string[] {
  if (ending.stopped !== undefined || ending.bailed === true) return [];
  const seen = results.map((result) => ({ id: result.case.id, verdict: result.verdict }));
  return knownProblems(entries, seen, today).map(({ entry, problem }) => `${entry.place} known failure: ${problem}`);
}
