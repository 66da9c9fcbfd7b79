import { existsSync } from 'node:fs';
import path from 'node:path';
import { loadCases } from '../case/load.ts';
import type { ConcreteCase } from '../case/concrete-case.ts';
import { formatProblem, type Problem } from '../case/problem.ts';
import { areaOf, EVERYTHING, selectCases, type Selection } from '../case/select.ts';
import { readLevels } from '../clauses/levels.ts';
import { levelOf } from '../clauses/register.ts';
import { CASES_FOLDER, loadSuite } from '../load-suite.ts';
import { UsageFault } from '../sut/session.ts';
import { packageRoot } from '../values/package-root.ts';
import type { Touched } from './touched.ts';

/** Runs that follow one another: `all` is the selection as the user gave it, less what another part has. */
export type Part = { readonly ids: readonly string[] } | { readonly all: true; readonly skip: readonly string[] };

/** What the user chose. */
export interface Chosen {
  readonly cases?: string | undefined;
  readonly selection: Selection;
}

/**
 * The cases of the selection that are touched, those that were red before all others. Throws UsageFault with every mistake of a file that
 * cannot be read.
 */
export async function chooseParts(touched: Touched, chosen: Chosen, red: readonly string[]): Promise<readonly Part[]> {
  if (touched.everything) {
    const first = await stillThere(red, chosen);
    if (first.length === 0) return [{ all: true, skip: [] }];
    const { cases } = await loadSuite({ folder: chosen.cases, selection: chosen.selection });
    const known = new Set(first);
    const others = cases.some(({ id }) => !known.has(id));
    return [{ ids: first }, ...(others ? [{ all: true, skip: first } as const] : [])];
  }
  const ids = [...new Set([...(await ofFiles(touched, chosen)), ...(await ofAreas(touched, chosen))])];
  const wasRed = new Set(red);
  const parts = [ids.filter((id) => wasRed.has(id)), ids.filter((id) => !wasRed.has(id))];
  return parts.filter((part) => part.length > 0).map((part) => ({ ids: part }));
}

/** Cases are renamed and removed; nothing but what can be found is asked for. */
async function stillThere(red: readonly string[], { cases: folder }: Chosen): Promise<readonly string[]> {
  if (red.length === 0) return [];
  const { cases, unreadable } = await loadSuite({ folder, selection: { ...EVERYTHING, patterns: red } });
  requireReadable(unreadable);
  const there = new Set(cases.map(({ id }) => id));
  return red.filter((id) => there.has(id));
}

async function ofFiles({ caseFiles }: Touched, chosen: Chosen): Promise<readonly string[]> {
  const root = packageRoot();
  const folder = chosen.cases ?? path.join(root, CASES_FOLDER);
  const levels = await readLevels(path.join(root, 'docs/spec/clauses'));
  const options = { relativeTo: root, levelOf: (clauses: ConcreteCase['clauses']) => levelOf(levels, clauses) };
  const there = [...caseFiles].filter((file) => existsSync(file));
  const loaded = await Promise.all(there.map((file) => loadCases(file, options)));
  requireReadable(loaded.flatMap(({ problems }) => problems));
  const cases = loaded.flatMap((file) => file.cases);
  return selectCases(cases, chosen.selection, path.relative(root, path.resolve(folder))).cases.map(({ id }) => id);
}

async function ofAreas({ areas }: Touched, { cases: folder, selection }: Chosen): Promise<readonly string[]> {
  if (areas.size === 0) return [];
  const { cases, unreadable } = await loadSuite({ folder, selection });
  requireReadable(unreadable);
  return cases.filter(({ clauses }) => clauses.some(({ id }) => areas.has(areaOf(id)))).map(({ id }) => id);
}

function requireReadable(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new UsageFault(problems.map(formatProblem).join('\n'));
}
