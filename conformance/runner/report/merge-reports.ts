import { UsageFault } from '../sut/session.ts';
import { EXIT } from '../verdict/exit-code.ts';
import type { ReportFile } from './report-schema.ts';
import { summarize } from './summary.ts';

/** A report, and where it was read. */
export interface PlacedReport {
  readonly place: string;
  readonly report: ReportFile;
}

/** The first that a shard ended with decides. */
const WORST = [EXIT.broken, EXIT.usage, EXIT.failed, EXIT.unstable, EXIT.passed] as const;

/**
 * One report of the shards of a run. Throws UsageFault when they are not of one suite and implementation, when one is missing or there
 * twice, or when a case is in two of them.
 */
export function mergeReports(shards: readonly PlacedReport[]): ReportFile {
  const [first] = shards;
  if (first === undefined) throw new UsageFault('no reports to merge');
  for (const other of shards.slice(1)) requireSameRun(first, other);
  requireEveryShard(shards);
  requireNoCaseTwice(shards);
  const reports = shards.map(({ report }) => report);
  const cases = reports
    .flatMap((report) => report.cases)
    .toSorted((one, other) => (one.id < other.id ? -1 : Number(one.id > other.id)));
  const cut = shards.flatMap(({ place, report: { cutShort } }) =>
    cutShort === undefined ? [] : [`${place}: ${cutShort}`],
  );
  const known = reports.flatMap(({ knownProblems = [] }) => knownProblems);
  return {
    ...first.report,
    selection: { whole: reports.every(({ selection }) => selection?.whole === true) },
    slowFirst: sum(reports.map(({ slowFirst }) => slowFirst)),
    durationMs: Math.max(...reports.map(({ durationMs }) => durationMs)),
    exitCode: WORST.find((code) => reports.some(({ exitCode }) => exitCode === code)) ?? EXIT.broken,
    ...(cut.length === 0 ? {} : { cutShort: cut.join('; ') }),
    ...(known.length === 0 ? {} : { knownProblems: [...new Set(known)] }),
    crashes: sum(reports.map(({ crashes }) => crashes)),
    time: mergedTime(reports),
    summary: summarize(cases),
    clauses: Object.fromEntries(reports.flatMap(({ clauses }) => Object.entries(clauses))),
    cases,
  };
}

function requireSameRun(first: PlacedReport, other: PlacedReport): void {
  const said = ({ report: { suite, implementation } }: PlacedReport): string =>
    `${implementation.name} ${implementation.version ?? ''} judged by ${suite.name} ${suite.version}`;
  if (said(first) !== said(other))
    throw new UsageFault(`${other.place}: is of another run: ${said(other)}, and ${first.place} is ${said(first)}`);
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
