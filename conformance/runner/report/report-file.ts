import type { CaseResult } from '../schedule/case-result.ts';
import type { Check } from '../values/check.ts';
import { packageVersion } from '../values/package-root.ts';
import type { RunEnd } from './events.ts';
import { failedChecks } from './failure-text.ts';
import type { ReportFile } from './report-schema.ts';
import type { RunTime } from './run-time.ts';

/** The content of report.json. Cases come in the order of their ids, so that two reports can be compared. */
export function reportFile(end: RunEnd): ReportFile {
  const results = end.results.toSorted((one, other) =>
    one.case.id < other.case.id ? -1 : Number(one.case.id > other.case.id),
  );
  return {
    schema: 1,
    suite: { name: 'proxy-conformance', version: packageVersion() },
    implementation: end.implementation,
    seed: end.seed,
    durationMs: Math.round(end.durationMs),
    ...(end.firstVerdictMs === undefined ? {} : { firstVerdictMs: end.firstVerdictMs }),
    exitCode: end.exitCode,
    ...(end.cutShort === undefined ? {} : { cutShort: end.cutShort }),
    crashes: end.crashes,
    time: timeEntry(end.time),
    summary: end.summary,
    cases: results.map(caseEntry),
  };
}

function timeEntry({ stretch, overtimes, lostMs, waitedMs, countedMs, pressure }: RunTime): ReportFile['time'] {
  return {
    stretch: Math.round(stretch * 10) / 10,
    overtimes,
    lostMs: {
      runner: Math.round(lostMs.runner),
      programs: Math.round(lostMs.programs),
      machine: Math.round(lostMs.machine),
      heartbeat: Math.round(lostMs.heartbeat),
    },
    waitedMs: Math.round(waitedMs),
    countedMs: Math.round(countedMs),
    ...(pressure === undefined ? {} : { pressure: Math.round(pressure * 100) / 100 }),
  };
}

function caseEntry(result: CaseResult): ReportFile['cases'][number] {
  const { case: one } = result;
  const failures = failedChecks(result).map((check) => checkEntry(check, result));
  const observed = result.checks.filter((check) => check.soft !== undefined || one.level === 'observe');
  return {
    id: one.id,
    suite: one.suite,
    file: one.file,
    title: one.title,
    verdict: result.verdict,
    ...(result.reason === '' ? {} : { reason: result.reason }),
    ...(result.fault === undefined ? {} : { fault: result.fault }),
    level: one.level,
    layer: one.layer,
    clauses: one.clauses.map(({ id, as }) => ({ id, as })),
    kills: [...one.kills],
    needs: [...one.needs],
    durationMs: result.durationMs,
    ...(result.stretch === undefined ? {} : { stretch: result.stretch }),
    ...(result.overtimes === undefined ? {} : { overtimes: [...result.overtimes] }),
    ...(result.round === undefined ? {} : { round: result.round }),
    ...(result.revisions.length === 0
      ? {}
      : { revisions: result.revisions.map((seen) => ({ ...seen, answered: [...seen.answered] })) }),
    ...(failures.length === 0 ? {} : { failures }),
    ...(observed.length === 0 ? {} : { observed: observed.map((check) => checkEntry(check, result)) }),
  };
}

function checkEntry(
  check: Check,
  { case: one }: CaseResult,
): { what: string; line: number; expected: string; actual: string } {
  return { what: check.what, line: one.position(check.at).line, expected: check.expected, actual: check.actual };
}
