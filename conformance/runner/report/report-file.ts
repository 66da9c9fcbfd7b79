import type { CaseResult } from '../schedule/case-result.ts';
import { packageVersion } from '../values/package-root.ts';
import { caseEntry } from './case-entry.ts';
import type { ClauseText, RunEnd, RunStart } from './events.ts';
import type { ReportFile } from './report-schema.ts';
import type { RunTime } from './run-time.ts';

/** The content of report.json. Cases come in the order of their ids, so that two reports can be compared. */
export function reportFile(end: RunEnd, clause: (id: string) => ClauseText | undefined = () => undefined): ReportFile {
  const results = end.results.toSorted((one, other) =>
    one.case.id < other.case.id ? -1 : Number(one.case.id > other.case.id),
  );
  return {
    schema: 1,
    ...startEntry(end),
    ...endEntry(end, clause),
    cases: results.map(caseEntry),
  };
}

/** What a report says of the beginning of a run. */
export function startEntry({
  implementation,
  selection,
  attended,
  seed,
  slowFirst,
}: RunStart): Pick<ReportFile, 'suite' | 'implementation' | 'selection' | 'attended' | 'seed' | 'slowFirst'> {
  return {
    suite: { name: 'proxy-conformance', version: packageVersion() },
    implementation,
    ...(selection === undefined ? {} : { selection: { ...selection } }),
    ...(attended === undefined ? {} : { attended }),
    seed,
    slowFirst,
  };
}

/** What a report says of the end of a run, without its cases. */
export function endEntry(
  end: RunEnd,
  clause: (id: string) => ClauseText | undefined = () => undefined,
): Omit<ReportFile, 'schema' | 'cases' | keyof ReturnType<typeof startEntry>> {
  return {
    durationMs: Math.round(end.durationMs),
    ...(end.firstVerdictMs === undefined ? {} : { firstVerdictMs: end.firstVerdictMs }),
    exitCode: end.exitCode,
    ...(end.cutShort === undefined ? {} : { cutShort: end.cutShort }),
    ...(end.problems === undefined || end.problems.length === 0 ? {} : { knownProblems: [...end.problems] }),
    crashes: end.crashes,
    workers: { ...end.parallel },
    time: timeEntry(end.time),
    summary: end.summary,
    clauses: citedClauses(end.results, clause),
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
