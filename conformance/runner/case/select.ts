import path from 'node:path';
import { globExpression } from '../values/glob.ts';
import type { Level } from '../verdict/verdict.ts';
import type { ConcreteCase } from './concrete-case.ts';
import { suitesNamed } from './groups.ts';
import { casesOfShard, type Shard } from './shard.ts';

/** What the user asked for; an empty list asks for everything. */
export interface Selection {
  /** A folder or file of cases, the name of a suite or of a group of suites, or a glob over case ids; upper and lower case are the same. */
  readonly patterns: readonly string[];
  readonly clauses: readonly string[];
  readonly areas: readonly string[];
  readonly levels: readonly Level[];
  readonly layers?: readonly string[] | undefined;
  /** Features of the manifest: cases that need one of them. */
  readonly features?: readonly string[] | undefined;
  /** Patterns of cases that are left out. */
  readonly skip?: readonly string[] | undefined;
  /** Only this part of all that. */
  readonly shard?: Shard;
}

/** The selection that asks for everything. */
export const EVERYTHING: Selection = { patterns: [], clauses: [], areas: [], levels: [] };

/** Whether nothing is left out, apart from what other shards have. */
export function isEverything(selection: Omit<Selection, 'shard'>): boolean {
  const { patterns, clauses, areas, levels, layers = [], features = [], skip = [] } = selection;
  return [patterns, clauses, areas, levels, layers, features, skip].every((wanted) => wanted.length === 0);
}

export interface Selected {
  readonly cases: readonly ConcreteCase[];
  /** Those of all shards together. */
  readonly undivided: readonly ConcreteCase[];
  /** Patterns that match no case at all: a usage error, since they select nothing silently. */
  readonly unmatched: readonly string[];
}

/** The cases that satisfy every part of the selection. `folder` is where the case files lie, relative to the package. */
export function selectCases(cases: readonly ConcreteCase[], selection: Selection, folder: string): Selected {
  const matchers = selection.patterns.map((pattern) => ({ pattern, matches: patternMatcher(pattern, folder) }));
  const left = (selection.skip ?? []).map((pattern) => patternMatcher(pattern, folder));
  const undivided = cases.filter(
    (given) =>
      (matchers.length === 0 || matchers.some(({ matches }) => matches(given))) &&
      asked(
        selection.clauses,
        given.clauses.map(({ id }) => id),
      ) &&
      asked(
        selection.areas,
        given.clauses.map(({ id }) => areaOf(id)),
      ) &&
      asked(selection.levels, [given.level]) &&
      asked(selection.layers ?? [], [given.layer]) &&
      asked(selection.features ?? [], given.needs) &&
      !left.some((matches) => matches(given)),
  );
  const unmatched = matchers.filter(({ matches }) => !cases.some(matches)).map(({ pattern }) => pattern);
  const { shard } = selection;
  return { cases: shard === undefined ? undivided : casesOfShard(undivided, shard), undivided, unmatched };
}

/** Whether a pattern (an id, an id without its row, or a glob over ids) names the case. */
export function matchesId(pattern: string, given: Pick<ConcreteCase, 'id' | 'baseId'>): boolean {
  return idMatcher(pattern)(given);
}

/** The same for many cases: the expression of a glob is made once. */
function idMatcher(pattern: string): (given: Pick<ConcreteCase, 'id' | 'baseId'>) => boolean {
  const wanted = pattern.toLowerCase();
  const glob = /[*?]/.test(wanted) ? globExpression(wanted) : undefined;
  return ({ id, baseId }) => {
    const own = id.toLowerCase();
    return wanted === own || wanted === baseId.toLowerCase() || (glob?.test(own) ?? false);
  };
}

/** The area of a clause id: `MERGE` of `MERGE-010`. */
export function areaOf(clause: string): string {
  return clause.replace(/-\d+$/, '');
}

function patternMatcher(pattern: string, folder: string): (given: ConcreteCase) => boolean {
  const places = placesOf(pattern, folder);
  const suites = suitesNamed(pattern);
  const isNamed = idMatcher(pattern);
  const isSuite = (name: string): boolean => suites.some((wanted) => name === wanted || name.startsWith(`${wanted}.`));
  return (given) => isNamed(given) || isSuite(given.suite) || places.some((isInside) => isInside(given.file));
}

/** The folders and files a pattern may mean, each as a predicate over names of case files. */
export function placesOf(pattern: string, folder: string): readonly ((file: string) => boolean)[] {
  const asPath = path.posix.normalize(pattern.replace(/\/$/, ''));
  return [...new Set([asPath, path.posix.join(folder, asPath)])].map(
    (place) => (file) => file === place || file.startsWith(`${place}/`) || file === `${place}.yaml`,
  );
}

function asked<T>(wanted: readonly T[], present: readonly T[]): boolean {
  return wanted.length === 0 || present.some((value) => wanted.includes(value));
}
