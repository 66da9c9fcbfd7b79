import { existsSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Command } from 'commander';
import { makeTempFolder } from '../sut/temp-folder.ts';
import { knownFileOf, readKnown, requireNamedCases } from '../load-known.ts';
import { loadSuite } from '../load-suite.ts';
import { DEFAULT_OUT } from '../report/events.ts';
import { readReport } from '../report/read-report.ts';
import { runSuite } from '../run.ts';
import { loadManifest } from '../sut/manifest.ts';
import { UsageFault } from '../sut/session.ts';
import { readUserFile, unreadable } from '../values/user-file.ts';
import { EXIT } from '../verdict/exit-code.ts';
import { extendKnown } from '../verdict/known-document.ts';
import { isExpired, names, type KnownFailure } from '../verdict/known-failures.ts';
import { planKnown, type KnownPlan, type MissingEntry, type SeenResult } from '../verdict/known-plan.ts';
import { rateLines } from '../verdict/known-rates.ts';
import { interruptSignal } from './interrupt.ts';
import { positive } from './options.ts';
import { defaultManifest, today } from './run.ts';
import { print } from './suite.ts';

interface KnownFlags {
  readonly write: boolean;
  readonly flaky: boolean;
  readonly report: string;
  readonly owner?: string;
  readonly impl?: string;
  readonly cases?: string;
  readonly times: number;
  readonly workers?: number;
}

/** `conform known [FILE]`: checks a list of known failures, extends it from a report, or measures its flaky cases. */
export function addKnownCommand(program: Command): void {
  program
    .command('known')
    .description('check a list of known failures, extend it from a report, or see how flaky its cases are')
    .argument('[file]', 'the list; the one that the manifest of --impl names when absent')
    .option('--write', 'add what was red in a report and is not listed; the reasons are yours to write', false)
    .option('--report <place>', 'with --write: report.json, or the folder it lies in', DEFAULT_OUT)
    .option('--owner <name>', 'with --write: who looks after the new entries')
    .option('--flaky', 'run the cases that are listed as unstable many times, and print how often they pass', false)
    .option('--times <n>', 'with --flaky: so many times', positive, 10)
    .option('--workers <n>', 'with --flaky: cases at the same time', positive)
    .option('--impl <file>', 'implementation.yaml of the implementation')
    .option('--cases <path>', 'folder of case files, or one of them, instead of those of this package')
    .action(async (named: string | undefined, flags: KnownFlags) => {
      if (flags.write && flags.flaky) throw new UsageFault('give either --write or --flaky');
      const file = named ?? fileOfManifest(flags);
      if (flags.write) return write(file, flags);
      process.exitCode = flags.flaky ? await measure(file, flags) : await check(file, flags);
    });
}

function fileOfManifest({ impl }: KnownFlags): string {
  if (impl === undefined) throw new UsageFault('which list? give its file, or --impl with a manifest that names one');
  const file = knownFileOf(loadManifest(impl));
  if (file === undefined) throw new UsageFault(`${impl}: known: the manifest names no list`);
  return file;
}

/** Everything that can be wrong with a list without running anything. */
async function check(file: string, { cases: folder }: KnownFlags): Promise<number> {
  const entries = readKnown(file);
  const { read } = await loadSuite({ folder });
  await requireNamedCases(entries, read, folder);
  const expired = entries.filter((entry) => isExpired(entry, today()));
  for (const { place, case: id, until } of expired) print(`${place} ${id}: expired after ${until ?? ''}`);
  const listed = read.filter(({ id }) => entries.some((entry) => names(entry, id))).length;
  print(`${file}: ${counted(entries.length, 'entry', 'entries')} for ${counted(listed, 'case', 'cases')}`);
  return expired.length === 0 ? EXIT.passed : EXIT.failed;
}

async function write(file: string, { report, owner, cases: folder }: KnownFlags): Promise<void> {
  const text = existsSync(file) ? textOf(file) : '';
  const entries = text === '' ? [] : readKnown(file, 'draft');
  const { read } = await loadSuite({ folder });
  const rows = Map.groupBy(read, ({ baseId }) => baseId);
  const ids = new Map([...rows].map(([base, group]) => [base, group.map(({ id }) => id)]));
  const results = readReport(report).cases;
  const plan = planKnown(entries, results, ids);
  if (plan.missing.length > 0) writeList(file, extendKnown(text, plan.missing, owner));
  for (const line of planLines(file, plan)) print(line);
}

function textOf(file: string): string {
  const read = readUserFile(file);
  if ('problem' in read) throw new UsageFault(read.problem);
  return read.text;
}

function writeList(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new UsageFault(`${file}: ${unreadable(error, 'written')}`);
  }
}

function planLines(file: string, { missing, stale, otherwise, unmatched, foreign }: KnownPlan): readonly string[] {
  return [
    ...stale.map(({ entry, id }) => `${entry.place} stale: ${id} passed; remove the entry, or narrow it`),
    ...otherwise.map(
      ({ entry, id, came }) => `${entry.place} ${id} is listed as ${entry.verdict} and came out as ${came}`,
    ),
    ...unmatched.map((entry) => `${entry.place} no case matches ${entry.case}; remove the entry, or correct it`),
    ...foreign.map((id) => `the report speaks of ${id}, which is no case of this suite`),
    ...missing.map((entry) => `added ${entry.case} (${describeMissing(entry)})`),
    missing.length === 0
      ? `${file}: nothing to add`
      : `${file}: ${counted(missing.length, 'entry', 'entries')} added; write their reasons, the list is refused until then`,
  ];
}

function describeMissing({ verdict, count }: MissingEntry): string {
  return count === 1 ? verdict : `${verdict}, ${count} cases`;
}

/** Runs what is listed as unstable many times, each time as it comes out. A measurement: whatever it shows, it went well. */
async function measure(file: string, flags: KnownFlags): Promise<number> {
  const entries = readKnown(file).filter(({ verdict }) => verdict === 'unstable');
  const { read } = await loadSuite({ folder: flags.cases });
  await requireNamedCases(entries, read, flags.cases);
  const flaky = read.filter(({ id }) => entries.some((entry) => names(entry, id))).map(({ id }) => id);
  if (flaky.length === 0) {
    print(`${file}: nothing is listed as unstable`);
    return EXIT.passed;
  }
  print(`${counted(flaky.length, 'case', 'cases')}, each ${flags.times} times`);
  const { results, cutShort } = await runMany(flaky, flags);
  for (const line of rateLines(results, placesOf(flaky, entries))) print(line);
  if (cutShort === undefined) return EXIT.passed;
  process.stderr.write(`cut short: ${cutShort}\n`);
  return EXIT.broken;
}

function placesOf(ids: readonly string[], entries: readonly KnownFailure[]): ReadonlyMap<string, string> {
  return new Map(ids.map((id) => [id, entries.find((entry) => names(entry, id))?.place ?? '']));
}

async function runMany(
  ids: readonly string[],
  { impl, cases, times, workers }: KnownFlags,
): Promise<{ readonly results: readonly SeenResult[]; readonly cutShort?: string | undefined }> {
  const out = await makeTempFolder('known');
  try {
    const end = await runSuite({
      manifestFile: impl ?? defaultManifest(),
      selection: { patterns: ids, clauses: [], areas: [], levels: [] },
      cases,
      repeat: times,
      bail: false,
      provisional: true,
      allowUnstable: true,
      workers,
      known: false,
      today: today(),
      out,
      reporters: [],
      stop: interruptSignal(),
    });
    return {
      results: end.results.map(({ case: { id }, verdict, reason, fault }) => ({ id, verdict, reason, fault })),
      cutShort: end.cutShort,
    };
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
