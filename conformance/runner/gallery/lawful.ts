import { rm } from 'node:fs/promises';
import type { ConcreteCase } from '../case/concrete-case.ts';
import type { CaseResult } from '../schedule/case-result.ts';
import type { Manifest } from '../sut/manifest.ts';
import { makeTempFolder } from '../sut/temp-folder.ts';
import { RED } from '../verdict/settle.ts';
import { brokenManifest, runCases } from './broken-reference.ts';
import { isKiller } from './check.ts';
import type { Sources } from './declarations.ts';
import type { Defect } from './defects.ts';
import { locateEdits } from './locate-edits.ts';

/**
 * A way in which the reference could be another and still do what the documents say: the clauses it stays within, and the edits that make
 * it so. It is written as a defect is; what is red for it is a mistake of the suite.
 */
export type Variant = Defect;

/** How variants are run. */
export interface VariantsRun {
  /** The manifest of the reference. */
  readonly manifest: Manifest;
  /** The package. */
  readonly root: string;
  /** The reference under it. */
  readonly sources: Sources;
  /** Every case of the suite. */
  readonly cases: readonly ConcreteCase[];
  readonly seed: number;
  readonly stop: AbortSignal;
  readonly report: (outcome: VariantsOutcome) => void;
  /** Is told, after each run, how many variants were there, how many cases were run, and which were red. */
  readonly progress: (variants: number, cases: number, red: readonly string[]) => void;
  /** How cases are run on an implementation, unless said on one that is started for them. */
  readonly runCases?: typeof runCases;
}

/** A required case that accuses somebody who did nothing wrong. */
export interface Accused {
  readonly id: string;
  readonly reason: string;
  /** The variants for which it is red when each is there alone; none where only several together make it so. */
  readonly by: readonly string[];
}

/** What became of variants that were there together. */
export interface VariantsOutcome {
  readonly variants: readonly Variant[];
  /** How many required cases were run. */
  readonly judged: number;
  readonly accused: readonly Accused[];
  /** Why the variants say nothing: the reference does not start with them. */
  readonly error?: string;
  readonly durationMs: number;
}

/**
 * Runs every required case against references that differ from the real one in what the documents leave to an implementation, as many
 * variants at a time as do not touch the same text. Cases that are red twice are then run for halves of the variants, and halves of those,
 * until it is known which variant each accuses.
 */
export async function runVariants(variants: readonly Variant[], run: VariantsRun): Promise<readonly VariantsOutcome[]> {
  const cases = run.cases.filter(isKiller);
  const folder = await makeTempFolder('lawful-');
  const outcomes: VariantsOutcome[] = [];
  try {
    for (const together of batches(variants, run.sources)) {
      for (const outcome of await runTogether(together, cases, { ...run, folder })) {
        outcomes.push(outcome);
        run.report(outcome);
      }
    }
    return outcomes;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** In their order, each in the first batch where all edits apply. Without a feature its cases are not run, so what lacks one is apart from the others. */
function batches(variants: readonly Variant[], sources: Sources): readonly (readonly Variant[])[] {
  const made: Variant[][] = [];
  for (const variant of variants) {
    const room = made.find(
      (batch) => batch.some(lacksFeature) === lacksFeature(variant) && fits([...batch, variant], sources),
    );
    if (room === undefined) made.push([variant]);
    else room.push(variant);
  }
  return made;
}

function lacksFeature({ declares = {} }: Variant): boolean {
  return Object.values(declares).includes(false);
}

function fits(variants: readonly Variant[], sources: Sources): boolean {
  return oneAnswerEach(variants) && locateEdits(editsOf(variants), sources).problems.length === 0;
}

/** No two of them declare different answers to one open point. */
function oneAnswerEach(variants: readonly Variant[]): boolean {
  const answers = new Map<string, unknown>();
  return variants.every(({ declares = {} }) =>
    Object.entries(declares).every(([point, answer]) => {
      const same = !answers.has(point) || answers.get(point) === answer;
      answers.set(point, answer);
      return same;
    }),
  );
}

function editsOf(variants: readonly Variant[]): Variant['edits'] {
  return variants.flatMap(({ edits }) => edits);
}

interface Placed extends VariantsRun {
  readonly folder: string;
}

async function runTogether(
  variants: readonly Variant[],
  cases: readonly ConcreteCase[],
  run: Placed,
): Promise<readonly VariantsOutcome[]> {
  if (run.stop.aborted) return [];
  const began = performance.now();
  const ended = (rest: Pick<VariantsOutcome, 'judged' | 'accused' | 'error'>): readonly VariantsOutcome[] => [
    { variants, ...rest, durationMs: performance.now() - began },
  ];
  const { judged, red: redOnce, error } = await runOn(variants, cases, run);
  if (error !== undefined) {
    if (variants.length === 1) return ended({ judged, accused: [], error });
    const parts: VariantsOutcome[] = [];
    for (const half of halves(variants)) parts.push(...(await runTogether(half, cases, run)));
    return parts;
  }
  run.progress(variants.length, judged, redOnce.map(idOf));
  const red = await redOf(variants, redOnce.map(caseOf), run);
  const by = await accusedBy(variants, red.map(caseOf), run);
  const accused = red.map(({ case: { id }, reason }) => ({
    id,
    reason,
    by: by.flatMap(([variant, names]) => (names.has(id) ? [variant] : [])),
  }));
  return ended({ judged, accused });
}

/** For each variant by which cases are red when it is there alone: its id and theirs. */
async function accusedBy(
  variants: readonly Variant[],
  red: readonly ConcreteCase[],
  run: Placed,
): Promise<readonly (readonly [variant: string, cases: ReadonlySet<string>])[]> {
  if (red.length === 0) return [];
  if (variants.length === 1) return variants.map(({ id }) => [id, new Set(red.map((one) => one.id))]);
  const found: (readonly [string, ReadonlySet<string>])[] = [];
  for (const half of halves(variants)) {
    const still = await redOf(half, red, run);
    found.push(...(await accusedBy(half, still.map(caseOf), run)));
  }
  return found;
}

function halves<T>(list: readonly T[]): readonly (readonly T[])[] {
  const middle = Math.ceil(list.length / 2);
  return [list.slice(0, middle), list.slice(middle)];
}

async function redOf(
  variants: readonly Variant[],
  cases: readonly ConcreteCase[],
  run: Placed,
): Promise<readonly CaseResult[]> {
  if (cases.length === 0 || run.stop.aborted) return [];
  const { red } = await runOn(variants, cases, run);
  run.progress(variants.length, cases.length, red.map(idOf));
  return red;
}

function idOf({ case: { id } }: CaseResult): string {
  return id;
}

function caseOf({ case: one }: CaseResult): ConcreteCase {
  return one;
}

/** Only red results are kept: the exchanges of all the others fill the memory. */
async function runOn(
  variants: readonly Variant[],
  cases: readonly ConcreteCase[],
  { manifest, folder, root, sources, seed, stop, runCases: runThem = runCases }: Placed,
): Promise<{ readonly judged: number; readonly red: readonly CaseResult[]; readonly error: string | undefined }> {
  const [first] = variants;
  const id = variants.length === 1 && first !== undefined ? first.id : `${variants.length}-together`;
  const place = variants.length === 1 && first !== undefined ? first.place : 'several';
  const declares = Object.fromEntries(variants.flatMap((variant) => Object.entries(variant.declares ?? {})));
  const edited = { id, place, clauses: [], text: '', edits: editsOf(variants), declares };
  let judged = 0;
  const red: CaseResult[] = [];
  const error = await runThem(cases, await brokenManifest(manifest, edited, { folder, root, sources }), {
    seed,
    stop,
    report: (result) => {
      judged += 1;
      if (RED.has(result.verdict)) red.push(result);
    },
  });
  return { judged, red, error };
}
