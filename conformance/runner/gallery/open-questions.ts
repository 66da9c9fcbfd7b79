import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { isGating, type Register } from '../clauses/register.ts';
import { clauseId, openId, parseEntries } from './defects.ts';
import type { Variant } from './lawful.ts';

/**
 * Why no variant answers a question of the documents in another way; the list is closed.
 *
 * - `declared`: the manifest says the answer, and cases ask for what is said
 * - `decided`: another sentence of the documents decides it
 * - `nothing-to-see`: no answer differs on any wire
 * - `out-of-reach`: no edit of the reference makes it so
 * - `unasked`: no required case comes by what another answer would change
 * - `todo`: nobody has thought about it yet
 */
const WHY = ['declared', 'decided', 'nothing-to-see', 'out-of-reach', 'unasked', 'todo'] as const;

const unvariedSchema = z.strictObject({
  of: z.array(z.union([clauseId, openId])).min(1),
  why: z.enum(WHY),
  text: z.string().min(1),
});

/** Questions that no variant answers in another way, and why. */
export type Unvaried = z.infer<typeof unvariedSchema> & { readonly place: string };

/** Reads the YAML files of a folder; `shownAs` is the folder's name in messages. Without the folder nothing is excused. */
export async function readUnvaried(
  folder: string,
  shownAs: string,
): Promise<{ readonly unvaried: readonly Unvaried[]; readonly problems: readonly string[] }> {
  const names = existsSync(folder) ? (await readdir(folder)).filter((name) => name.endsWith('.yaml')).toSorted() : [];
  const files = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(path.join(folder, name), 'utf8');
      return parseEntries({ file: `${shownAs}/${name}`, text, of: 'questions' }, unvariedSchema);
    }),
  );
  return { unvaried: files.flatMap(({ entries }) => entries), problems: files.flatMap(({ problems }) => problems) };
}

/**
 * Whatever the documents leave open: clauses that demand nothing, open points, and contradictions of which something is only recorded.
 */
export function openQuestions({
  clauses,
  openPoints,
  contradictions,
}: Pick<Register, 'clauses' | 'openPoints' | 'contradictions'>): readonly string[] {
  return [
    ...[...clauses.values()].filter((clause) => !isGating(clause)).map(({ id }) => id),
    ...openPoints.map(({ id }) => id),
    ...contradictions.filter((one) => one['observe'] !== undefined).map(({ id }) => id),
  ];
}

/** What is wrong between variants, the questions they answer, and the list of those that none answers. */
export function checkQuestions(
  questions: readonly string[],
  { variants, unvaried }: { readonly variants: readonly Variant[]; readonly unvaried: readonly Unvaried[] },
): readonly string[] {
  const known = new Set(questions);
  const answered = new Set(variants.flatMap(({ clauses, open = [] }) => [...clauses, ...open]));
  const listed = new Map<string, Unvaried>();
  const problems: string[] = [];
  for (const variant of variants)
    for (const id of variant.open ?? [])
      if (!known.has(id)) problems.push(`${variant.place}: ${variant.id} answers unknown open point ${id}`);
  for (const entry of unvaried)
    for (const id of entry.of) {
      const earlier = listed.get(id);
      if (!known.has(id)) problems.push(`${entry.place}: ${id} is no question that the documents leave open`);
      else if (answered.has(id)) problems.push(`${entry.place}: ${id} has a variant`);
      else if (earlier !== undefined) problems.push(`${entry.place}: ${id} is already at ${earlier.place}`);
      listed.set(id, entry);
    }
  for (const id of questions)
    if (!answered.has(id) && !listed.has(id))
      problems.push(
        `${id} is left open: a lawful variant answers it in another way, or lawful/none/ says why none does`,
      );
  return problems;
}
