import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { findIds } from './citations.ts';
import type { Register } from './register.ts';

const frontMatter = z.strictObject({
  /** One line for the table of contents. */
  about: z.string().min(1),
  date: z.iso.date(),
  /** Clauses that the page reads. */
  clauses: z.array(z.string()),
  /** Open points (U) and contradictions (A) that it answers. */
  open: z.array(z.string()),
  /** Sources that cite the page; `npm run generate` writes them. */
  code: z.array(z.string()),
});

/** A page of `docs/decisions`: what the documents leave open there, and how the reference reads it. */
export interface Decision extends z.infer<typeof frontMatter> {
  /** Its file name without ending. */
  readonly name: string;
  readonly title: string;
  /** The page without its front matter. */
  readonly text: string;
}

/** The pages of a folder in the order of their names, and what is wrong with their front matter. */
export async function readDecisions(
  folder: string,
): Promise<{ readonly decisions: readonly Decision[]; readonly problems: readonly string[] }> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.md') && name !== 'README.md');
  const pages = await Promise.all(
    names.toSorted().map(async (name) => parseDecision(name, await readFile(path.join(folder, name), 'utf8'))),
  );
  return {
    decisions: pages.filter((page) => typeof page !== 'string'),
    problems: pages.filter((page) => typeof page === 'string'),
  };
}

/** A page, or in words what is wrong with its front matter. */
export function parseDecision(file: string, source: string): Decision | string {
  const found = /^---\n(.*?)\n---\n(.*)$/s.exec(source);
  if (found === null) return `docs/decisions/${file}: no front matter`;
  const [, head = '', text = ''] = found;
  const yaml = parseDocument(head);
  const [error] = yaml.errors;
  // Its lines are counted from the dashes above them.
  if (error !== undefined)
    return `docs/decisions/${file}:${(error.linePos?.[0].line ?? 0) + 1}: ${error.code}: no YAML`;
  const parsed = frontMatter.safeParse(yaml.toJS());
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `docs/decisions/${file}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`;
  }
  const title = /^# (.+)$/m.exec(text)?.[1];
  if (title === undefined) return `docs/decisions/${file}: no title`;
  return { ...parsed.data, name: file.replace(/\.md$/, ''), title, text };
}

/** Where front matter, text and register disagree; empty when they do not. */
export function decisionProblems(decisions: readonly Decision[], register: Register): readonly string[] {
  const points = new Set([...register.openPoints, ...register.contradictions].map(({ id }) => id));
  return decisions.flatMap((decision) => {
    const { name, clauses, open, text } = decision;
    const listed = new Set([...clauses, ...open]);
    const said = new Set(findIds(text).filter((id) => points.has(id) || register.clauses.has(id)));
    return [
      ...clauses.filter((id) => !register.clauses.has(id)).map((id) => `lists unknown clause ${id}`),
      ...open.filter((id) => !points.has(id)).map((id) => `lists unknown open point ${id}`),
      ...[...said].filter((id) => !listed.has(id)).map((id) => `names ${id} and does not list it`),
      ...[...listed].filter((id) => !said.has(id)).map((id) => `lists ${id} and does not name it`),
    ].map((problem) => `docs/decisions/${name}.md: ${problem}`);
  });
}

/** The pages that read a clause, or answer an open point. */
export function decisionsAbout(decisions: readonly Decision[], ids: readonly string[]): readonly Decision[] {
  return decisions.filter(({ clauses, open }) => ids.some((id) => clauses.includes(id) || open.includes(id)));
}
