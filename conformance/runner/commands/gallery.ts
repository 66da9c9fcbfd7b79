import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import type { ConcreteCase } from '../case/concrete-case.ts';
import { EVERYTHING, selectCases } from '../case/select.ts';
import { loadRegister } from '../clauses/register.ts';
import { formatProblem } from '../case/problem.ts';
import { checkEntries, checkGallery, isKiller } from '../gallery/check.ts';
import { readSources } from '../gallery/declarations.ts';
import { readGallery, selectDefects, type Defect } from '../gallery/defects.ts';
import {
  asJson,
  isKilled,
  nullLine,
  outcomeLine,
  progressLine,
  summaryLine,
  variantsJson,
  variantsLines,
  worstLines,
} from '../gallery/gallery-report.ts';
import { keepOutcomes, type KeptOutcomes } from '../gallery/kept-outcomes.ts';
import { runVariants, type Variant } from '../gallery/lawful.ts';
import { checkQuestions, openQuestions, readUnvaried } from '../gallery/open-questions.ts';
import { followCases } from '../gallery/passing.ts';
import { repairGallery } from '../gallery/repair.ts';
import { unreadableEdits } from '../gallery/syntax.ts';
import { rewrittenSince, touchedSince } from '../gallery/touched.ts';
import { isUsable, runDefects, type DefectOutcome, type DefectsRun } from '../gallery/run-defects.ts';
import { loadRunnable, loadSuite } from '../load-suite.ts';
import { shuffled } from '../schedule/random.ts';
import { loadManifest } from '../sut/manifest.ts';
import { UsageFault } from '../sut/session.ts';
import { packageRoot } from '../values/package-root.ts';
import { EXIT } from '../verdict/exit-code.ts';
import { reportFault } from './fault.ts';
import { interruptSignal } from './interrupt.ts';
import { natural, oneOf, positive } from './options.ts';
import { defaultManifest } from './run.ts';
import { collectPatterns } from './selection-options.ts';
import { print } from './suite.ts';

/** There where the sources of the reference are. */
const SOURCES = 'reference-impl/main.ts';
const CASES_FOLDER = 'conformance/cases';
const GALLERY_FOLDER = 'conformance/gallery';
const LAWFUL_FOLDER = `${GALLERY_FOLDER}/lawful`;
/** Questions of the documents that no variant answers in another way. */
const UNVARIED_FOLDER = `${LAWFUL_FOLDER}/none`;
/** What each case executes, as far as it is known. */
const PASSED = '.cache/gallery/passed.ndjson';
const SAMPLE = 40;
const MOST = 400;
const LAYERS = ['op', 'wire', 'trace', 'property'];

interface GalleryFlags {
  readonly check?: true;
  readonly fix?: true;
  readonly json?: true;
  readonly fast?: true;
  readonly collateral?: true;
  readonly sample?: number;
  readonly passing?: true;
  readonly most: number;
  readonly null?: true;
  readonly lawful?: true;
  readonly workers: number;
  readonly seed: number;
  readonly since?: string;
  readonly draw?: number;
  readonly only: readonly string[];
  readonly outcomes?: string;
  readonly layer?: readonly string[];
}

/** Adds `conform gallery`: the suite measured by broken references that it must catch. */
export function addGalleryCommand(program: Command): void {
  program
    .command('gallery')
    .description('run the suite against deliberately broken references; each must be caught by a case that lists it')
    .argument(
      '[defect...]',
      'ids or globs; every defect when absent (with --lawful: of variants; with --null: ids of null proxies)',
    )
    .option('--check', 'only check the gallery against sources, register and cases; nothing is run')
    .option('--fix', 'repair edits whose text moved or whose names changed, where that is certain; then check')
    .option('--collateral', 'run the whole suite against each defect and report cases that nobody announced')
    .option('--sample <n>', 'the same with so many other cases drawn for each defect', positive)
    .option(
      '--passing',
      `run those of the other cases that execute what a defect changes; where any may notice, as many as --sample says (${SAMPLE})`,
    )
    .option('--most <n>', 'with --passing: draw so many where more come by', positive, MOST)
    .option('--json', `machine-readable outcome; with ${SAMPLE} other cases drawn for each defect unless --fast`)
    .option('--fast', 'with --json: stop each defect at its first kill')
    .option('--null', 'run the null proxies, against which no must-level case may pass')
    .option(
      '--lawful',
      'run the required cases against references that differ where the documents leave it to them: none may be red',
    )
    .option('--workers <n>', 'defects at the same time', positive, 2)
    .option(
      '--since <commit>',
      'only defects that something since that commit may have made harmless: they, what they edit or who lists them changed; with --null and --lawful only cases that changed',
    )
    .option(
      '--draw <n>',
      'only so many of the defects (with --null and --lawful: of the cases), drawn by the seed; beside --since so many of the others',
      positive,
    )
    .option('--only <pattern>', 'with --null and --lawful: of the cases, only these (repeatable)', collectPatterns, [])
    .option(
      '--outcomes <file>',
      'add what becomes of each defect to this file, and run none that stands in it: a run that was ended goes on',
    )
    .option('--layer <layer>', 'only cases of this layer are there to kill (repeatable)', oneOf(LAYERS))
    .option('--seed <n>', 'order of the cases, and which defects or cases --draw takes', natural, 1)
    .action(async (patterns: readonly string[], flags: GalleryFlags) => {
      try {
        process.exitCode = await gallery(patterns, flags);
      } catch (error) {
        process.exitCode = reportFault(error);
      }
    });
}

async function gallery(patterns: readonly string[], flags: GalleryFlags): Promise<number> {
  if (flags.only.length > 0 && flags.null !== true && flags.lawful !== true)
    throw new UsageFault('--only chooses cases for --null and --lawful; a defect is run with the cases that list it');
  if (flags.null === true) return runNullProxies(patterns, flags);
  const root = packageRoot();
  // A package that was installed holds the reference as JavaScript, and a defect is a change of its sources.
  if (!existsSync(path.join(root, SOURCES)))
    throw new UsageFault(
      `there is no ${SOURCES}: the gallery changes the sources of the reference, so it runs in a clone of the repository; gallery --null runs here`,
    );
  if (flags.fix === true) await repair(root);
  const loaded = await load(root);
  if (flags.check === true || flags.fix === true) {
    const unreadable = await unreadableEdits([...loaded.defects, ...loaded.variants], loaded.sources);
    return reportCheck({ ...loaded, problems: [...loaded.problems, ...unreadable] });
  }
  if (flags.lawful === true) return runLawful(patterns, flags, { ...loaded, root });
  const { selected: named, unmatched } = selectDefects(loaded.defects, patterns);
  if (unmatched.length > 0) throw new UsageFault(`no defect matches ${unmatched.join(', ')}`);
  const selected = chooseOf(named, flags, { ...loaded, root });
  // Whoever tries single defects is not to be held up by the others.
  const concerns = (problem: string): boolean => selected.some(({ place }) => problem.startsWith(`${place}:`));
  const problems = patterns.length === 0 ? loaded.problems : loaded.problems.filter(concerns);
  if (problems.length > 0) return reportCheck({ defects: selected, problems });

  if (flags.passing === true && flags.collateral === true)
    throw new UsageFault('--collateral runs every case, and --passing those that come by a defect: one of them');
  const others = othersOf(flags);
  const kept = keptOutcomes(flags, selected, others);
  const known = new Set(kept.known.map(({ defect }) => defect.id));
  const began = performance.now();
  const cases = loaded.cases.filter(({ layer }) => flags.layer?.includes(layer) ?? true);
  const left = selected.filter(({ id }) => !known.has(id));
  const on = { root, sources: loaded.sources, manifest: loadManifest(defaultManifest()), stop: interruptSignal() };
  const fresh = await runDefects(left, {
    ...on,
    others,
    cases,
    ...(flags.passing === true && left.length > 0 ? { passing: await passingOthers(cases, on, flags.most) } : {}),
    workers: flags.workers,
    seed: flags.seed,
    report: (outcome) => {
      kept.add(outcome);
      if (flags.json !== true) print(outcomeLine(outcome));
    },
  });
  const outcomes = [...kept.known, ...fresh];
  if (flags.json === true) print(JSON.stringify({ defects: outcomes.map(asJson) }, undefined, 2));
  else {
    if (selected.length < named.length) print(chosenLine(selected.length, `${named.length} defects`, flags));
    if (known.size > 0) print(`${known.size} of them stood in ${flags.outcomes ?? ''}`);
    print(summaryLine(outcomes, selected.length, others > 0, performance.now() - began));
    for (const line of worstLines(outcomes)) print(line);
  }
  return exitCodeFor(outcomes, selected);
}

/** What was touched since a commit, and as many as are drawn of the others; all where nothing is asked for. */
function chooseOf(
  named: readonly Defect[],
  { since, draw, seed }: GalleryFlags,
  compared: Parameters<typeof touchedSince>[2],
): readonly Defect[] {
  if (since === undefined) return draw === undefined ? named : shuffled(named, seed).slice(0, draw);
  return withDrawn(
    named,
    fromGit(() => touchedSince(since, named, compared)),
    { draw, seed },
  );
}

/** The same of cases, of which those that were written or changed are touched. */
function chooseCases(
  every: readonly ConcreteCase[],
  { since, draw, seed, only }: Pick<GalleryFlags, 'since' | 'draw' | 'seed' | 'only'>,
): readonly ConcreteCase[] {
  const { cases: all, unmatched } = selectCases(every, { ...EVERYTHING, patterns: only }, CASES_FOLDER);
  if (unmatched.length > 0) throw new UsageFault(`no such case is run here: ${unmatched.join(', ')}`);
  if (since === undefined) return draw === undefined ? all : shuffled(all, seed).slice(0, draw);
  return withDrawn(
    all,
    fromGit(() => rewrittenSince(since, all, packageRoot())),
    { draw, seed },
  );
}

function withDrawn<One>(
  all: readonly One[],
  touched: readonly One[],
  { draw = 0, seed }: { readonly draw: number | undefined; readonly seed: number },
): readonly One[] {
  const taken = new Set(touched);
  const others = shuffled(all, seed).filter((one) => !taken.has(one));
  return [...taken, ...others.slice(0, draw)];
}

/** What git knows of a commit; throws UsageFault where it does not know it. */
function fromGit<Value>(ask: () => Value): Value {
  try {
    return ask();
  } catch (error) {
    throw new UsageFault(error instanceof Error ? error.message : String(error));
  }
}

function chosenLine(chosen: number, of: string, { since, draw, seed }: GalleryFlags): string {
  const drawn = draw === undefined ? '' : ` drawn with seed ${seed}`;
  const touched = since === undefined ? '' : ` touched since ${since}${draw === undefined ? '' : ' or'}`;
  return `${chosen} of ${of}${touched}${drawn}`;
}

async function passingOthers(
  cases: readonly ConcreteCase[],
  on: Pick<DefectsRun, 'root' | 'sources' | 'manifest' | 'stop'>,
  most: number,
): Promise<NonNullable<DefectsRun['passing']>> {
  return {
    ...(await followCases(cases.filter(isUsable), { ...on, file: path.join(on.root, PASSED), told: tellLeft })),
    most,
  };
}

function tellLeft(left: number): void {
  process.stderr.write(`${left} cases are not followed yet\n`);
}

function keptOutcomes(
  { outcomes, seed, layer, passing, most }: GalleryFlags,
  defects: readonly Defect[],
  others: number,
): KeptOutcomes {
  if (outcomes === undefined) return { known: [], add: () => {} };
  const coming = passing === true ? `, ${most} that come by` : '';
  const how = `${others === Infinity ? 'all' : others} others${coming}, seed ${seed}, ${layer?.join(' and ') ?? 'every layer'}`;
  try {
    return keepOutcomes(outcomes, defects, how);
  } catch (error) {
    throw new UsageFault(error instanceof Error ? error.message : String(error));
  }
}

/** Cases that do not list a defect, for each defect: the whole suite takes an hour for all of them. */
function othersOf({ collateral, sample, passing, json, fast }: GalleryFlags): number {
  if (collateral === true) return Infinity;
  if (sample !== undefined) return sample;
  return passing === true || (json === true && fast !== true) ? SAMPLE : 0;
}

/** As the defects are run, but that nobody is to notice anything. */
async function runLawful(
  patterns: readonly string[],
  { json, ...flags }: GalleryFlags,
  { root, sources, cases, variants }: Awaited<ReturnType<typeof load>> & { readonly root: string },
): Promise<number> {
  const { selected, unmatched } = selectDefects(variants, patterns);
  if (unmatched.length > 0) throw new UsageFault(`no variant matches ${unmatched.join(', ')}`);
  const required = cases.filter(isKiller);
  const asked = chooseCases(required, flags);
  const outcomes = await runVariants(selected, {
    root,
    sources,
    cases: asked,
    seed: flags.seed,
    manifest: loadManifest(defaultManifest()),
    stop: interruptSignal(),
    report: (outcome) => {
      if (json !== true) for (const line of variantsLines(outcome)) print(line);
    },
    progress: (together, judged, red) => {
      if (json !== true) print(progressLine(together, judged, red));
    },
  });
  if (json === true) print(JSON.stringify({ lawful: outcomes.map(variantsJson) }, undefined, 2));
  else if (asked.length < required.length) print(chosenLine(asked.length, `${required.length} cases`, flags));
  const ran = outcomes.reduce((sum, outcome) => sum + outcome.variants.length, 0);
  if (ran < selected.length || outcomes.some(({ error }) => error !== undefined)) return EXIT.broken;
  return outcomes.every(({ accused }) => accused.length === 0) ? EXIT.passed : EXIT.failed;
}

async function repair(root: string): Promise<void> {
  const sources = await readSources(root);
  for (const folder of [GALLERY_FOLDER, LAWFUL_FOLDER])
    for (const note of await repairGallery(path.join(root, folder), folder, sources)) print(note);
}

/** Cases, register and defects, with everything that is wrong between them. */
async function load(root: string) {
  const [register, sources, { defects, problems }, lawful, none] = await Promise.all([
    loadRegister(path.join(root, 'docs/spec')),
    readSources(root),
    readGallery(path.join(root, GALLERY_FOLDER), GALLERY_FOLDER),
    readGallery(path.join(root, LAWFUL_FOLDER), LAWFUL_FOLDER),
    readUnvaried(path.join(root, UNVARIED_FOLDER), UNVARIED_FOLDER),
  ]);
  const suite = await loadSuite({});
  if (suite.unreadable.length > 0) throw new UsageFault(suite.unreadable.map(formatProblem).join('\n'));
  const context = { cases: suite.cases, clauses: new Set(register.clauses.keys()), sources };
  const found = [
    ...checkGallery({ ...context, defects }),
    ...checkEntries({ ...context, defects: lawful.defects }),
    ...checkQuestions(openQuestions(register), { variants: lawful.defects, unvaried: none.unvaried }),
  ];
  return {
    defects,
    variants: lawful.defects,
    sources,
    cases: suite.cases,
    problems: [...problems, ...lawful.problems, ...none.problems, ...found],
  };
}

function reportCheck({
  defects,
  variants = [],
  problems,
}: {
  readonly defects: readonly Defect[];
  readonly variants?: readonly Variant[];
  readonly problems: readonly string[];
}): number {
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  const lawful = variants.length === 0 ? '' : `${variants.length} lawful variants, `;
  print(`${defects.length} defects, ${lawful}${problems.length} problems`);
  return problems.length === 0 ? EXIT.passed : EXIT.usage;
}

async function runNullProxies(ids: readonly string[], flags: GalleryFlags): Promise<number> {
  const { judgesNulls, runNulls } = await import('../gallery/nulls.ts');
  const { json, workers, seed } = flags;
  const all = (await loadRunnable({})).cases.filter(judgesNulls);
  const cases = chooseCases(all, flags);
  const { nulls } = await runNulls({
    ...(ids.length === 0 ? {} : { ids }),
    cases,
    workers,
    seed,
    stop: interruptSignal(),
  });
  if (json === true) print(JSON.stringify({ nulls }, undefined, 2));
  else {
    if (cases.length < all.length) print(chosenLine(cases.length, `${all.length} cases`, flags));
    for (const outcome of nulls) print(nullLine(outcome));
  }
  return nulls.every(({ green }) => green.length === 0) ? EXIT.passed : EXIT.failed;
}

function exitCodeFor(outcomes: readonly DefectOutcome[], selected: readonly Defect[]): number {
  if (outcomes.length < selected.length || outcomes.some(({ error }) => error !== undefined)) return EXIT.broken;
  return outcomes.every(isKilled) ? EXIT.passed : EXIT.failed;
}
