// `npm run mutants -- --area merge --draw N`: how many changes of the reference does the suite notice?
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { EVERYTHING } from '../../../conformance/runner/case/select.ts';
import { loadSuite } from '../../../conformance/runner/load-suite.ts';
import { recallDurations } from '../../../conformance/runner/schedule/past-durations.ts';
import { shuffled } from '../../../conformance/runner/schedule/random.ts';
import { loadManifest } from '../../../conformance/runner/sut/manifest.ts';
import { packageRoot } from '../../../conformance/runner/values/package-root.ts';
import { type Area, AREAS, AREAS_FOLDER } from './areas.ts';
import { LISTS, readEquivalents } from './equivalents.ts';
import { follow } from './follow.ts';
import { readFollowed } from './followed.ts';
import { readHints } from './hints.ts';
import { instrument } from './instrument.mjs';
import { judgeMutants, type MutantOutcome } from './judge.ts';
import { killersAmong } from './killers.ts';
import { mutantName, mutantText, type Mutant } from './mutant.ts';
import { startMutated } from './mutated-reference.ts';
import { judgedOf, listOf, type Lists, type Score, scoreOf, shares } from './score.ts';

const HELP = `usage: npm run mutants -- [options]

  --area NAME    repeatable; all of them when absent:
                 ${Object.keys(AREAS).join(', ')}
  --files GLOB   other files of the reference, repeatable
  --cases GLOB   only these cases, repeatable
  --draw N       mutants of each area (50)
  --seed N       which ones (1)
  --unlisted     only mutants that stand in no list
  --again FILE   those of an earlier result that were not killed and are not listed as open, the others as they were
  --score FILE   counts an earlier result again, by the lists as they are now, and judges nothing
  --recommended  recommended cases count too
  --most N       cases that run against one mutant (400)
  --lanes N      references beside each other (2)
  --out FOLDER   gets mutants.json (.cache/mutants)
`;

const { values } = parseArgs({
  options: {
    area: { type: 'string', multiple: true, default: [] },
    files: { type: 'string', multiple: true, default: [] },
    cases: { type: 'string', multiple: true, default: [] },
    draw: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
    unlisted: { type: 'boolean', default: false },
    recommended: { type: 'boolean', default: false },
    again: { type: 'string' },
    score: { type: 'string' },
    most: { type: 'string', default: '400' },
    lanes: { type: 'string', default: '2' },
    out: { type: 'string', default: '.cache/mutants' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

/** Longer than this is long beside what a case takes. */
const SLOW_MS = 1500;

const root = packageRoot();
const kept = path.join(root, '.cache/mutants');
// Two measurements may run at the same time.
const work = path.join(kept, String(process.pid));
process.once('exit', () => rmSync(work, { recursive: true, force: true }));
const areas = areasOf(values.area, values.files);
const files = [...new Set([...areas.values()].flat())].toSorted();
const { main, mutants, leftOut } = await instrument({ root, files, out: path.join(work, 'bundle') });
const lists: Lists = { equivalent: readEquivalents('equivalent'), open: readEquivalents('open') };
const areaOf = (mutant: Mutant): string => [...areas].find(([, of]) => of.includes(mutant.file))?.[0] ?? '';
if (values.score !== undefined) {
  report(readOutcomes(values.score), { write: false });
  process.exit();
}
const earlier = values.again === undefined ? [] : readOutcomes(values.again);
const drawn = values.again === undefined ? draw() : again(earlier);
console.log(`${mutants.length} mutants in ${files.length} files, ${drawn.length} to judge, seed ${values.seed}`);
for (const { why, mutants: without } of leftOut) console.log(`  left out: ${without.length}, ${why}`);

const { cases } = await loadSuite({ selection: { ...EVERYTHING, patterns: values.cases } });
const levels = values.recommended ? ['must', 'should'] : ['must'];
const usable = cases.filter(
  ({ layer, level }) => levels.includes(level) && layer !== 'property' && layer !== 'cluster',
);
const manifest = loadManifest(path.join(root, 'reference-impl/implementation.yaml'));
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
const stopped = (): boolean => interrupted.signal.aborted;
const lanes = Number(values.lanes);
let started = 0;
const start = async (mutant?: string): ReturnType<typeof startMutated> => {
  started += 1;
  const folder = path.join(work, `run-${started}`);
  return startMutated(manifest, { main, folder, ...(mutant === undefined ? {} : { mutant }) });
};

const began = performance.now();
const followed = readFollowed(root, path.join(kept, 'followed'), mutants);
const told = (left: number): void => console.log(`${left} of ${usable.length} cases are not followed yet`);
const atStart = await follow(usable, { start, lanes, followed, stopped, told });
console.log(`followed in ${seconds(began)} s`);
const judged = performance.now();
const slow = recallDurations(manifest);
const isSlow = ({ id }: { readonly id: string }): boolean => (slow.get(id) ?? 0) > SLOW_MS;
const killers = killersAmong(usable, { followed, atStart, hints: await readHints(root, usable), isSlow });
for (const one of earlier) if (one.by !== undefined) learnAgain(one);
const outcomes = await judgeMutants(drawn, {
  start,
  killers,
  atStart,
  most: Number(values.most),
  lanes,
  stopped,
  report: (one) => console.log(outcomeLine(one)),
});
report([...notAgain(earlier), ...outcomes], { write: true });
console.log(`${seconds(judged)} s, ${(Number(seconds(judged)) / Math.max(1, drawn.length)).toFixed(1)} s for each`);

function areasOf(names: readonly string[], globs: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const unknown = names.filter((name) => !(name in AREAS));
  if (unknown.length > 0) throw new Error(`no area ${unknown.join(', ')}: ${Object.keys(AREAS).join(', ')}`);
  const chosen = names.length > 0 || globs.length > 0 ? (names as readonly Area[]) : (Object.keys(AREAS) as Area[]);
  const found = chosen.map((name) => [name, filesOf(AREAS[name].map((glob) => `${AREAS_FOLDER}/${glob}`))] as const);
  return new Map([...found, ...(globs.length > 0 ? [['files', filesOf(globs)] as const] : [])]);
}

function filesOf(globs: readonly string[]): readonly string[] {
  return globs.flatMap((glob) => globSync(glob, { cwd: root }));
}

/** As many of each area, whatever its size, and the areas in turn: what ends early says something of each. */
function draw(): readonly Mutant[] {
  const asked = values.unlisted ? mutants.filter((mutant) => listOf({ mutant }, lists) === undefined) : mutants;
  const drawnOf = [...Map.groupBy(asked, areaOf).values()].map((ofArea) =>
    shuffled(ofArea, Number(values.seed)).slice(0, Number(values.draw)),
  );
  return drawnOf
    .flatMap((ofArea) => ofArea.map((mutant, turn) => ({ mutant, turn })))
    .toSorted((one, other) => one.turn - other.turn)
    .map(({ mutant }) => mutant);
}

function readOutcomes(file: string): readonly MutantOutcome[] {
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly outcomes: readonly MutantOutcome[] }).outcomes.filter(
    ({ mutant }) => files.includes(mutant.file),
  );
}

/** Neither what is no longer in the sources is judged again, nor what no document speaks of. */
function again(outcomesThen: readonly MutantOutcome[]): readonly Mutant[] {
  const named = Map.groupBy(mutants, mutantName);
  const left = outcomesThen.filter((one) => isLeft(one) && listOf(one, lists) !== 'open');
  return [...new Set(left.flatMap(({ mutant }) => nearest(named.get(mutantName(mutant)) ?? [], mutant.line)))];
}

/** A name may be that of several, such as of each empty text in a function: those that stand closest to where it stood. */
function nearest(found: readonly Mutant[], line: number): readonly Mutant[] {
  const least = Math.min(...found.map((one) => Math.abs(one.line - line)));
  return found.filter((one) => Math.abs(one.line - line) === least);
}

/** What was not judged again stays as it was, but for what is no longer in the sources. */
function notAgain(outcomesThen: readonly MutantOutcome[]): readonly MutantOutcome[] {
  const judgedNow = new Set(outcomes.map(({ mutant }) => mutantName(mutant)));
  const there = new Set(mutants.map((mutant) => mutantName(mutant)));
  return outcomesThen.filter(({ mutant }) => there.has(mutantName(mutant)) && !judgedNow.has(mutantName(mutant)));
}

function learnAgain({ mutant, by }: MutantOutcome): void {
  if (by !== undefined) killers.learn(mutant, by);
}

function outcomeLine(one: MutantOutcome): string {
  const { mutant, verdict, by, ran, covering } = one;
  const how = by ?? (verdict === 'unstarted' ? 'no reference starts' : `${ran} of ${covering} cases that come by`);
  const list = listOf(one, lists);
  return `${verdict.padEnd(9)} ${mutantText(mutant)}  ${how}${list === undefined ? '' : ` (listed: ${list})`}`;
}

function isLeft({ verdict }: MutantOutcome): boolean {
  return verdict === 'survived' || verdict === 'uncovered';
}

/** What no case comes by counts as not killed. */
function report(all: readonly MutantOutcome[], { write }: { readonly write: boolean }): void {
  const rows = [...Map.groupBy(all, ({ mutant }) => areaOf(mutant))].map(([area, of]) => ({
    area,
    score: scoreOf(of, lists),
  }));
  if (write) {
    mkdirSync(values.out, { recursive: true });
    const text = JSON.stringify({ seed: values.seed, areas: rows, outcomes: all }, undefined, 1);
    writeFileSync(path.join(values.out, 'mutants.json'), `${text}\n`);
  }
  const left = all.filter((one) => isLeft(one) && listOf(one, lists) === undefined);
  if (left.length > 0) console.log(`not killed:\n${left.map((one) => `  ${outcomeLine(one)}`).join('\n')}`);
  const wrong = all.filter((one) => one.verdict === 'killed' && listOf(one, lists) === LISTS[0]);
  for (const one of wrong) console.log(`listed as equivalent, and killed: ${outcomeLine(one)}`);
  for (const { area, score } of rows) console.log(scoreLine(area, score));
  if (rows.length > 1) console.log(scoreLine('all', scoreOf(all, lists)));
  if (wrong.length > 0) process.exitCode = 1;
}

function scoreLine(area: string, score: Score): string {
  const { all, stated } = shares(score);
  return (
    `${area}: ${score.killed} of ${judgedOf(score)} killed (${all} %; ${stated} % of what a document states), ${score.survived} survived, ` +
    `${score.uncovered} without coverage, ${score.open} open, ${score.equivalent} equivalent, ${score.unstarted} with which no reference starts`
  );
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}
