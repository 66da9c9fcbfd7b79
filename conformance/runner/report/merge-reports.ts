import { UsageFault } from '../sut/session.ts';
import { EXIT, exitCode } from '../verdict/exit-code.ts';
import { blockedBy } from '../verdict/blocked.ts';
import type { CaseEntry, ReportFile } from './report-schema.ts';
import { summarize } from './summary.ts';

/** A report, and where it was read. */
export interface PlacedReport {
  readonly place: string;
  readonly report: ReportFile;
}

/**
 * One report of the shards of a run, with the verdicts and the exit code that the whole run would have had. Throws UsageFault when they are not
 * of one run, when one is missing or there twice, or when a case is in two of them.
 */
export function mergeReports(shards: readonly PlacedReport[]): ReportFile {
  const [first] = shards;
  if (first === undefined) throw new UsageFault('no reports to merge');
  requireEveryShard(shards);
  for (const other of shards.slice(1)) requireSameRun(first, other);
  requireNoCaseTwice(shards);
  const reports = shards.map(({ report }) => report);
  const cases = settled(reports.flatMap((report) => report.cases)).toSorted((one, other) =>
    one.id < other.id ? -1 : Number(one.id > other.id),
  );
  const cut = shards.flatMap(({ place, report: { cutShort } }) =>
    cutShort === undefined ? [] : [`${place}: ${cutShort}`],
  );
  const known = reports.flatMap(({ knownProblems = [] }) => knownProblems);
  return {
    ...first.report,
    selection: { whole: reports.every(({ selection }) => selection?.whole === true) },
    slowFirst: sum(reports.map(({ slowFirst }) => slowFirst)),
    durationMs: Math.max(...reports.map(({ durationMs }) => durationMs)),
    exitCode: mergedExitCode(reports, cases, known.length),
    ...(cut.length === 0 ? {} : { cutShort: cut.join('; ') }),
    ...(known.length === 0 ? {} : { knownProblems: [...new Set(known)] }),
    crashes: sum(reports.map(({ crashes }) => crashes)),
    time: mergedTime(reports),
    summary: summarize(cases),
    clauses: Object.fromEntries(reports.flatMap(({ clauses }) => Object.entries(clauses))),
    cases,
  };
}

/** A red case may stand on one of another shard. */
function settled(cases: readonly CaseEntry[]): readonly CaseEntry[] {
  const judged = cases.map(({ id, requires, verdict }) => ({
    case: { id, baseId: id.replace(/\[.*$/, ''), requires },
    verdict,
  }));
  return cases.map((entry, index): CaseEntry => {
    const one = judged[index];
    const by = one === undefined ? undefined : blockedBy(one, judged);
    return by === undefined ? entry : { ...entry, verdict: 'blocked', reason: `stands on ${by}, which is red` };
  });
}

/** A shard that could not be done to its end has decided; otherwise all the cases together do. */
function mergedExitCode(reports: readonly ReportFile[], cases: readonly CaseEntry[], knownProblems: number): number {
  const codes = reports.map((report) => report.exitCode);
  const unfinished = [EXIT.broken, EXIT.usage].find((code) => codes.includes(code));
  if (unfinished !== undefined) return unfinished;
  const results = cases.map(({ verdict, level, fault }) => ({
    verdict,
    level,
    ...(fault === undefined ? {} : { fault }),
  }));
  return exitCode({
    planned: cases.length,
    results,
    knownProblems,
    // A shard with unstable cases says by its own code whether the user minds.
    allowUnstable: !codes.includes(EXIT.unstable),
  });
}

/** What the shards of a run have in common. */
const COMMON: readonly { readonly what: string; readonly of: (report: ReportFile) => string | undefined }[] = [
  { what: 'implementation', of: ({ implementation: { name, version = '' } }) => `${name} ${version}`.trim() },
  { what: 'suite', of: ({ suite }) => `${suite.name} ${suite.version}` },
  { what: 'division of cases', of: ({ selection }) => selection?.division },
  { what: 'seed', of: ({ seed }) => String(seed) },
];

function requireSameRun(first: PlacedReport, other: PlacedReport): void {
  const different = COMMON.find(({ of }) => of(first.report) !== of(other.report));
  if (different === undefined) return;
  const { what, of } = different;
  const [mine, theirs] = [of(first.report), of(other.report)].map((said = 'none') => said);
  throw new UsageFault(
    `${other.place}: is of another run: its ${what} is ${theirs}, and that of ${first.place} is ${mine}`,
  );
}

function requireEveryShard(shards: readonly PlacedReport[]): void {
  const named = shards.map(({ place, report }) => ({ place, shard: report.selection?.shard }));
  const without = named.find(({ shard }) => shard === undefined);
  if (without !== undefined) throw new UsageFault(`${without.place}: is no shard of a run (conform run --shard i/n)`);
  const counts = new Set(named.map(({ shard }) => shard?.split('/')[1]));
  if (counts.size > 1)
    throw new UsageFault(`the shards are of runs that were divided by ${[...counts].join(' and by ')}`);
  const count = Number([...counts][0]);
  for (let index = 1; index <= count; index += 1) {
    const having = named.filter(({ shard }) => shard === `${index}/${count}`);
    if (having.length === 0) throw new UsageFault(`shard ${index}/${count} is missing`);
    if (having.length > 1)
      throw new UsageFault(`shard ${index}/${count} is there twice: ${having.map(({ place }) => place).join(', ')}`);
  }
}

function requireNoCaseTwice(shards: readonly PlacedReport[]): void {
  const seen = new Map<string, string>();
  for (const { place, report } of shards) {
    for (const id of new Set(report.cases.map((entry) => entry.id))) {
      const before = seen.get(id);
      if (before !== undefined) throw new UsageFault(`${place}: has ${id}, which ${before} has too`);
      seen.set(id, place);
    }
  }
}

function mergedTime(reports: readonly ReportFile[]): ReportFile['time'] {
  const times = reports.map(({ time }) => time);
  const lost = (name: keyof ReportFile['time']['lostMs']): number => sum(times.map(({ lostMs }) => lostMs[name]));
  const pressures = times.flatMap(({ pressure }) => (pressure === undefined ? [] : [pressure]));
  return {
    stretch: Math.max(...times.map(({ stretch }) => stretch)),
    overtimes: sum(times.map(({ overtimes }) => overtimes)),
    lostMs: {
      runner: lost('runner'),
      programs: lost('programs'),
      machine: lost('machine'),
      heartbeat: lost('heartbeat'),
    },
    waitedMs: sum(times.map(({ waitedMs }) => waitedMs)),
    countedMs: sum(times.map(({ countedMs }) => countedMs)),
    ...(pressures.length === 0 ? {} : { pressure: Math.max(...pressures) }),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
