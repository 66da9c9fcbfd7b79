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
 * variants at a time as do not touch the same text. A case that is red is run again alone, and then for each variant by itself.
 */
export async function runVariants(variants: readonly Variant[], run: VariantsRun): Promise<readonly VariantsOutcome[]> {
  const cases = run.cases.filter(isKiller);
  const folder = await makeTempFolder('lawful-');
  const outcomes: VariantsOutcome[] = [];
  try {
    for (const together of batches(variants, run.sources)) {
      if (run.stop.aborted) break;
      const outcome = await runTogether(together, cases, { ...run, folder });
      outcomes.push(outcome);
      run.report(outcome);
    }
    return outcomes;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** In their order, each in the first batch where all edits apply. */
function batches(variants: readonly Variant[], sources: Sources): readonly (readonly Variant[])[] {
  const made: Variant[][] = [];
  for (const variant of variants) {
    const room = made.find((batch) => fits([...batch, variant], sources));
    if (room === undefined) made.push([variant]);
    else room.push(variant);
  }
  return made;
}

function fits(variants: readonly Variant[], sources: Sources): boolean {
  return locateEdits(editsOf(variants), sources).problems.length === 0;
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
): Promise<VariantsOutcome> {
  const began = performance.now();
  const ended = (rest: Pick<VariantsOutcome, 'judged' | 'accused' | 'error'>): VariantsOutcome => ({
    variants,
    ...rest,
    durationMs: performance.now() - began,
  });
  const { results, error } = await runOn(variants, cases, run);
  if (error !== undefined) return ended({ judged: results.length, accused: [], error });
  const red = results.filter(({ verdict }) => RED.has(verdict));
  const accused: Accused[] = [];
  for (const { case: one, reason = '' } of red) {
    if (run.stop.aborted) break;
    if (!(await isRed(variants, one, run))) continue;
    const by: string[] = [];
    if (variants.length === 1) by.push(...variants.map(({ id }) => id));
    else for (const each of variants) if (await isRed([each], one, run)) by.push(each.id);
    accused.push({ id: one.id, reason, by });
  }
  return ended({ judged: results.length, accused });
}

async function isRed(variants: readonly Variant[], one: ConcreteCase, run: Placed): Promise<boolean> {
  const { results } = await runOn(variants, [one], run);
  return results.some(({ verdict }) => RED.has(verdict));
}

async function runOn(
  variants: readonly Variant[],
  cases: readonly ConcreteCase[],
  { manifest, folder, root, sources, seed, stop, runCases: runThem = runCases }: Placed,
): Promise<{ readonly results: readonly CaseResult[]; readonly error: string | undefined }> {
  const [first] = variants;
  const id = variants.length === 1 && first !== undefined ? first.id : `${variants.length}-together`;
  const place = variants.length === 1 && first !== undefined ? first.place : 'several';
  const edited = { id, place, clauses: [], text: '', edits: editsOf(variants) };
  const results: CaseResult[] = [];
  const error = await runThem(cases, await brokenManifest(manifest, edited, { folder, root, sources }), {
    seed,
    stop,
    report: (result) => results.push(result),
  });
  return { results, error };
}
