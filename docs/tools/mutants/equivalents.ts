import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Mutant } from './mutant.ts';

const entrySchema = z.strictObject({
  file: z.string(),
  /** Only in this declaration. */
  within: z.string().optional(),
  /** Only of this kind, as Stryker calls it. */
  mutator: z.string().optional(),
  /** What is replaced and by what, each without regard to white space; the line may move. Without both it is about the whole file or declaration. */
  original: z.string().optional(),
  replacement: z.string().optional(),
  why: z.string().min(20),
});

/** A mutant that no case can kill, and why. */
export type Equivalent = z.infer<typeof entrySchema>;

/** Nobody can see what changes, or somebody can and no document says how it has to be. */
export const LISTS = ['equivalent', 'open'] as const;
export type List = (typeof LISTS)[number];

const FILES: Readonly<Record<List, string>> = { equivalent: 'equivalents.yaml', open: 'open.yaml' };

/** The mutants that are known to be no mistake. */
export function readEquivalents(list: List): readonly Equivalent[] {
  const file = path.join(import.meta.dirname, FILES[list]);
  return z.array(entrySchema).parse(parse(readFileSync(file, 'utf8')));
}

/** Why a mutant is no fault; undefined for one that may be. */
export function reasonFor(mutant: Mutant, known: readonly Equivalent[]): string | undefined {
  return known.find(
    (one) =>
      one.file === mutant.file &&
      (one.within ?? mutant.within) === mutant.within &&
      (one.mutator ?? mutant.mutator) === mutant.mutator &&
      flat(one.original ?? mutant.original) === flat(mutant.original) &&
      flat(one.replacement ?? mutant.replacement) === flat(mutant.replacement),
  )?.why;
}

function flat(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
