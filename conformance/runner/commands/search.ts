import type { Command } from 'commander';
import type { ConcreteCase } from '../case/concrete-case.ts';
import type { Clause } from '../clauses/register.ts';
import { loadSuite } from '../load-suite.ts';
import type { Paint } from '../report/events.ts';
import { paintFor } from '../report/paint.ts';
import { placesOf, search, type Found, type SearchAnswer, type Searchable } from '../values/search.ts';
import { positive } from './options.ts';
import { print, readFrame, usageError } from './suite.ts';

interface SearchFlags {
  readonly cases?: string;
  readonly limit: number;
  readonly json: boolean;
}

/** `conform search WORDS`: clauses and cases in which the words stand, with the lines that show it. */
export function addSearchCommand(program: Command): void {
  program
    .command('search')
    .description('find clauses and cases by words, whole or in part: ids, sentences, titles, cited clauses, defects')
    .argument('<words...>', 'such as: retry body; those that have all the words come, or the most of them')
    .option('--cases <path>', 'folder of case files, or one of them, instead of those of this package')
    .option('--limit <n>', 'so many clauses and so many cases at most', positive, 10)
    .option('--json', 'machine-readable: everything that was found', false)
    .action(searchSuite);
}

interface FoundClause extends Searchable {
  readonly clause: Clause;
}

interface FoundCase extends Searchable {
  /** The first of those that differ in their rows. */
  readonly first: ConcreteCase;
  readonly count: number;
}

async function searchSuite(given: readonly string[], { cases: folder, limit, json }: SearchFlags): Promise<void> {
  const words = given.flatMap((word) => word.split(/\s+/)).filter((word) => word !== '');
  if (words.length === 0) return usageError('search for what?');
  const [{ register }, { read }] = await Promise.all([readFrame(), loadSuite({ folder })]);
  const { found, unknown, complete } = search<FoundClause | FoundCase>(
    [...[...register.clauses.values()].map(asFoundClause), ...asFoundCases(read)],
    words,
  );
  const clauses = found.filter(isClause);
  const cases = found.filter(isCase);
  if (json) return print(JSON.stringify({ words, complete, unknown, ...asJson(clauses, cases) }, undefined, 2));
  if (found.length === 0) return usageError(nothingFound(words, unknown));
  const paint = paintFor(process.stdout);
  print(
    [
      ...(complete ? [] : [`nothing has all of ${words.join(' ')}; these have the most of them`, ...hints(unknown)]),
      ...clauses.slice(0, limit).flatMap((one) => clauseLines(one, words, paint)),
      ...cases.slice(0, limit).flatMap((one) => caseLines(one, words, paint)),
      countLine(clauses.length, cases.length, limit),
    ].join('\n'),
  );
}

function asFoundClause(clause: Clause): FoundClause {
  return {
    clause,
    lines: [
      { label: 'id', text: clause.id, weight: 3 },
      { label: 'sentence', text: clause.statement, weight: 2 },
    ],
  };
}

/** One for all the rows of a case: their ids differ in nothing that anybody searches for. */
function asFoundCases(cases: readonly ConcreteCase[]): readonly FoundCase[] {
  return [...Map.groupBy(cases, ({ baseId }) => baseId).values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [{ first, count: group.length, lines: linesOfCase(first) }];
  });
}

function linesOfCase({ baseId, title, clauses, kills }: ConcreteCase): Searchable['lines'] {
  const cited = [...new Set(clauses.map(({ id }) => id))];
  return [
    { label: 'id', text: baseId, weight: 3 },
    { label: 'title', text: title, weight: 2 },
    ...cited.map((text) => ({ label: 'cites', text, weight: 1 })),
    ...kills.map((text) => ({ label: 'kills', text, weight: 1 })),
  ];
}

function isClause(found: Found<FoundClause | FoundCase>): found is Found<FoundClause> {
  return 'clause' in found.entry;
}

function isCase(found: Found<FoundClause | FoundCase>): found is Found<FoundCase> {
  return 'first' in found.entry;
}

function asJson(clauses: readonly Found<FoundClause>[], cases: readonly Found<FoundCase>[]): object {
  return {
    clauses: clauses.map(({ entry: { clause }, ...rest }) => {
      const { id, level, statement } = clause;
      return { id, level, statement, ...whyOf(rest) };
    }),
    cases: cases.map(({ entry: { first, count }, ...rest }) => {
      const { baseId: id, title, level, layer, file } = first;
      return { id, title, level, layer, file, count, ...whyOf(rest) };
    }),
  };
}

function whyOf({ score, why }: Pick<Found<Searchable>, 'score' | 'why'>): object {
  return { score: Math.round(score * 100) / 100, why: why.map(({ label, text }) => ({ label, text })) };
}

function clauseLines({ entry: { clause } }: Found<FoundClause>, words: readonly string[], paint: Paint): string[] {
  return [`${marked(clause.id, words, paint)}  ${clause.level}`, `  ${marked(clause.statement, words, paint)}`];
}

/** The title always, what else has a word where there is one. */
function caseLines({ entry, why }: Found<FoundCase>, words: readonly string[], paint: Paint): string[] {
  const { baseId, level, layer, title } = entry.first;
  const rows = entry.count === 1 ? '' : ` (${entry.count})`;
  const others = Map.groupBy(
    why.filter(({ label }) => label !== 'id' && label !== 'title'),
    ({ label }) => label,
  );
  return [
    `${marked(baseId, words, paint)}${rows}  ${level} ${layer}`,
    `  ${marked(title, words, paint)}`,
    ...[...others].map(
      ([label, lines]) => `  ${label} ${lines.map(({ text }) => marked(text, words, paint)).join(' ')}`,
    ),
  ];
}

/** The text with the words made visible, where the stream shows it. */
function marked(text: string, words: readonly string[], paint: Paint): string {
  const places = placesOf(words, text);
  const rest = text.slice(places.at(-1)?.[1] ?? 0);
  const parts = places.map(([from, to], index) => {
    const before = text.slice(places[index - 1]?.[1] ?? 0, from);
    return `${before}${paint('good', text.slice(from, to))}`;
  });
  return [...parts, rest].join('');
}

function countLine(clauses: number, cases: number, limit: number): string {
  const more = Math.max(clauses, cases) > limit ? `; the best ${limit} of each, --limit shows more` : '';
  return `${clauses} ${clauses === 1 ? 'clause' : 'clauses'}, ${cases} ${cases === 1 ? 'case' : 'cases'}${more}`;
}

function nothingFound(words: readonly string[], unknown: SearchAnswer<Searchable>['unknown']): string {
  return [`no clause and no case has ${words.join(' ')}`, ...hints(unknown)].join('\n');
}

function hints(unknown: SearchAnswer<Searchable>['unknown']): readonly string[] {
  return unknown.flatMap(({ word, meant }) =>
    meant === undefined ? [] : [`${word} stands nowhere, did you mean ${meant}?`],
  );
}
