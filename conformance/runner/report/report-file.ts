import type { CaseResult } from '../schedule/case-result.ts';
import type { Check } from '../values/check.ts';
import { packageVersion } from '../values/package-root.ts';
import type { ClauseText, RunEnd } from './events.ts';
import { fileEvidence } from './evidence-files.ts';
import { failedChecks } from './failure-text.ts';
import type { ReportFile } from './report-schema.ts';
import type { RunTime } from './run-time.ts';

/** The content of report.json. Cases come in the order of their ids, so that two reports can be compared. */
export function reportFile(end: RunEnd, clause: (id: string) => ClauseText | undefined = () => undefined): ReportFile {
  const results = end.results.toSorted((one, other) =>
    one.case.id < other.case.id ? -1 : Number(one.case.id > other.case.id),
  );
  return {
    schema: 1,
    suite: { name: 'proxy-conformance', version: packageVersion() },
    implementation: end.implementation,
    seed: end.seed,
    slowFirst: end.slowFirst,
    durationMs: Math.round(end.durationMs),
    ...(end.firstVerdictMs === undefined ? {} : { firstVerdictMs: end.firstVerdictMs }),
    exitCode: end.exitCode,
    ...(end.cutShort === undefined ? {} : { cutShort: end.cutShort }),
    ...(end.problems === undefined || end.problems.length === 0 ? {} : { knownProblems: [...end.problems] }),
    crashes: end.crashes,
    workers: { ...end.parallel },
    time: timeEntry(end.time),
    summary: end.summary,
    clauses: citedClauses(results, clause),
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

/** What the clauses of red cases say, each once. */
function citedClauses(
  results: readonly CaseResult[],
  clause: (id: string) => ClauseText | undefined,
): ReportFile['clauses'] {
  const cited = results.filter(({ evidence }) => evidence !== undefined).flatMap(({ case: one }) => one.clauses);
  const ids = [...new Set(cited.map(({ id }) => id))].toSorted();
  return Object.fromEntries(ids.flatMap((id) => [[id, clause(id)] as const].filter(hasText)));
}

function hasText(entry: readonly [string, ClauseText | undefined]): entry is readonly [string, ClauseText] {
  return entry[1] !== undefined;
}

function evidenceEntry(result: CaseResult): ReportFile['cases'][number]['evidence'] {
  const filed = fileEvidence(result);
  if (filed === undefined) return undefined;
  return {
    exchanges: [...filed.exchanges],
    peers: Object.fromEntries(Object.entries(filed.peers).map(([name, seen]) => [name, [...seen]])),
    traces: { ...filed.traces },
    configurations: [...filed.configurations],
    timeline: [...result.timeline],
    logs: [...result.logs],
    outside: [...result.curl],
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
    ...(result.attempts === undefined ? {} : { attempts: result.attempts.map(attemptEntry) }),
    ...(result.round === undefined ? {} : { round: result.round }),
    ...(result.instance === undefined ? {} : { instance: result.instance }),
    ...(result.revisions.length === 0
      ? {}
      : { revisions: result.revisions.map((seen) => ({ ...seen, answered: [...seen.answered] })) }),
    ...(failures.length === 0 ? {} : { failures }),
    ...(result.evidence === undefined ? {} : { evidence: evidenceEntry(result) }),
    ...(observed.length === 0 ? {} : { observed: observed.map(observedEntry) }),
  };
}

type AttemptEntry = NonNullable<ReportFile['cases'][number]['attempts']>[number];

function attemptEntry(attempt: CaseResult): AttemptEntry {
  const { verdict, reason, durationMs, stretch } = attempt;
  const failures = failedChecks(attempt).map((check) => checkEntry(check, attempt));
  return {
    verdict,
    ...(reason === '' ? {} : { reason }),
    durationMs,
    ...(stretch === undefined ? {} : { stretch }),
    ...(failures.length === 0 ? {} : { failures }),
  };
}

/** What was seen accuses nobody, so nobody looks for its line: finding the place of each takes reading every such file again. */
function observedEntry({ what, expected, actual }: Check): { what: string; expected: string; actual: string } {
  return { what, expected, actual };
}

function checkEntry(
  check: Check,
  { case: one }: CaseResult,
): { what: string; line: number; expected: string; actual: string } {
  return { what: check.what, line: one.position(check.at).line, expected: check.expected, actual: check.actual };
}
