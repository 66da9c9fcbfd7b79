import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Mutant } from './mutant.ts';

const entrySchema = z.strictObject({
  file: z.string(),
  /** What is replaced and by what, each without regard to white space; the line may move. Without both it is about the whole file. */
  original: z.string().optional(),
  replacement: z.string().optional(),
  why: z.string().min(20),
});

/** A mutant that no case can kill, and why. */
export type Equivalent = z.infer<typeof entrySchema>;

/** The mutants that are known to change nothing that a document speaks of. */
export function readEquivalents(): readonly Equivalent[] {
  const file = path.join(import.meta.dirname, 'equivalents.yaml');
  return z.array(entrySchema).parse(parse(readFileSync(file, 'utf8')));
}

/** Why a mutant is no fault; undefined for one that may be. */
export function reasonFor(mutant: Mutant, known: readonly Equivalent[]): string | undefined {
  return known.find(
    (one) =>
      one.file === mutant.file &&
      flat(one.original ?? mutant.original) === flat(mutant.original) &&
      flat(one.replacement ?? mutant.replacement) === flat(mutant.replacement),
  )?.why;
}

function flat(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
