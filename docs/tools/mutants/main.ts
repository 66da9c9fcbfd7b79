// `npm run mutants -- --files GLOB --draw N`: how many changes of the reference does the suite notice?
import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { EVERYTHING } from '../../../conformance/runner/case/select.ts';
import { loadSuite } from '../../../conformance/runner/load-suite.ts';
import { shuffled } from '../../../conformance/runner/schedule/random.ts';
import { loadManifest } from '../../../conformance/runner/sut/manifest.ts';
import { packageRoot } from '../../../conformance/runner/values/package-root.ts';
import { readEquivalents, reasonFor } from './equivalents.ts';
import { instrument } from './instrument.mjs';
import { cover, judgeMutants, type MutantOutcome } from './judge.ts';
import { mutantText } from './mutant.ts';
import { noticedChanges } from './noticed-changes.ts';
import { startMutated } from './mutated-reference.ts';

const CORE = ['attachment/policies', 'attachment/routes', 'admission', 'trace', 'policies/backend/ai'].map(
  (folder) => `reference-impl/${folder}/**/*.ts`,
);

const { values } = parseArgs({
  options: {
    files: { type: 'string', multiple: true, default: CORE },
    cases: { type: 'string', multiple: true, default: [] },
    draw: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
    most: { type: 'string', default: '400' },
    out: { type: 'string', default: 'reports/mutants' },
  },
});

const root = packageRoot();
const work = path.join(root, '.cache/mutants');
const files = [...new Set(values.files.flatMap((pattern) => globSync(pattern, { cwd: root })))].toSorted();
const { main, mutants } = await instrument({ root, files, out: path.join(work, 'bundle') });
const drawn = shuffled(mutants, Number(values.seed)).slice(0, Number(values.draw));
console.log(`${mutants.length} mutants in ${files.length} files, ${drawn.length} drawn with seed ${values.seed}`);

const { cases } = await loadSuite({ selection: { ...EVERYTHING, patterns: values.cases } });
const usable = cases.filter(({ layer, level }) => level === 'must' && layer !== 'property' && layer !== 'cluster');
const manifest = loadManifest(path.join(root, 'reference-impl/implementation.yaml'));
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
let started = 0;
const start = async (mutant?: string): ReturnType<typeof startMutated> => {
  started += 1;
  const folder = path.join(work, `run-${started}`);
  return startMutated(manifest, { main, folder, ...(mutant === undefined ? {} : { mutant }) });
};

const began = performance.now();
const covered = await cover(usable, { start }, (done) => {
  if (done % 500 < 20) console.log(`${done} of ${usable.length} cases are followed`);
});
console.log(`followed in ${seconds(began)} s`);
const judged = performance.now();
const outcomes = await judgeMutants(drawn, covered, {
  start,
  most: Number(values.most),
  notices: await noticedChanges(root, usable),
  stopped: () => interrupted.signal.aborted,
  report: (one) => console.log(outcomeLine(one)),
});
const equivalents = readEquivalents();
report(outcomes);

function outcomeLine({ mutant, verdict, by, ran, covering }: MutantOutcome): string {
  const how = by === undefined ? `${ran} of ${covering} cases that come by` : by;
  return `${verdict.padEnd(9)} ${mutantText(mutant)}  ${how}`;
}

/** What is listed as equivalent counts neither way; what no case comes by counts as survived. */
function report(all: readonly MutantOutcome[]): void {
  const counted = all.filter(
    ({ mutant, verdict }) => verdict === 'killed' || reasonFor(mutant, equivalents) === undefined,
  );
  const killed = counted.filter(({ verdict }) => verdict === 'killed').length;
  mkdirSync(values.out, { recursive: true });
  writeFileSync(
    path.join(values.out, 'mutants.json'),
    `${JSON.stringify({ seed: values.seed, outcomes: all }, undefined, 2)}\n`,
  );
  const left = counted.filter(({ verdict }) => verdict !== 'killed');
  if (left.length > 0) console.log(`not killed:\n${left.map((one) => `  ${outcomeLine(one)}`).join('\n')}`);
  const uncovered = left.filter(({ verdict }) => verdict === 'uncovered').length;
  console.log(
    `${killed} of ${counted.length} killed (${((100 * killed) / Math.max(1, counted.length)).toFixed(1)} %), ${left.length - uncovered} survived, ` +
      `${uncovered} without coverage, ${all.length - counted.length} equivalent; ${seconds(judged)} s, ${(Number(seconds(judged)) / Math.max(1, all.length)).toFixed(1)} s for each`,
  );
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}
