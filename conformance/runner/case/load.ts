import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { AuthoringError } from '../values/authoring-error.ts';
import type { Path } from '../values/check.ts';
import { isList, isObject } from '../values/json.ts';
import { knownDocument, readDocument } from '../values/source-document.ts';
import type { SourceDocument } from '../values/source-document.ts';
import type { Level } from '../verdict/verdict.ts';
import type { Citation, ConcreteCase } from './concrete-case.ts';
import { expandCase } from './expand.ts';
import { sortProblems } from './problem.ts';
import type { ParsedMemory } from './parsed-memory.ts';
import type { Problem } from './problem.ts';
import { caseProblems } from './schema-problems.ts';
import type { CaseFile, WrittenCase } from './schema.ts';

/** Cases that could be read, and what is wrong with those that could not. */
export interface LoadedCases {
  readonly cases: readonly ConcreteCase[];
  readonly problems: readonly Problem[];
  /** Files that were read and checked now and have no problem; those that are remembered are not among them. */
  readonly fresh: readonly FreshFile[];
}

/** A case file as it was found. The name is the one in messages. */
export interface CaseText {
  readonly name: string;
  readonly text: string;
}

export interface FreshFile extends CaseText {
  readonly value: unknown;
}

export interface LoadOptions {
  /** The level that the cited clauses give; without a register every case is `must`. */
  readonly levelOf?: (clauses: readonly Citation[]) => Level | undefined;
  /** Names in messages and in `ConcreteCase.file` are relative to this folder; the current one when absent. */
  readonly relativeTo?: string;
  /** Only files for which this holds are parsed. */
  readonly wanted?: (file: CaseText) => boolean;
  /** Spares files it knows the reading, and their cases the expansion until they are looked at. Without it all is done at once. */
  readonly memory?: Pick<ParsedMemory, 'recall'>;
  /** Makes the names of cases those of one run, where others may use the same implementation at the same time. */
  readonly run?: string | undefined;
}

/** Reads a file, or every `*.yaml` below a folder, and expands its cases. Problems name file, line and column. */
export async function loadCases(place: string, options: LoadOptions = {}): Promise<LoadedCases> {
  const files = place.endsWith('.yaml') ? [place] : await caseFilesBelow(place);
  const texts = files.map((file) => readText(file, options));
  const loaded = texts
    .filter((file) => options.wanted?.(file) ?? true)
    .map(({ name, text }) => parseCases(name, text, options));
  return {
    cases: loaded.flatMap(({ cases }) => cases),
    problems: sortProblems(loaded.flatMap(({ problems }) => problems)),
    fresh: loaded.flatMap(({ fresh }) => fresh),
  };
}

async function caseFilesBelow(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => isCaseFileName(name)).toSorted();
  return names.map((name) => path.join(folder, name));
}

// A folder that begins with `_` holds data that cases are made from.
function isCaseFileName(name: string): boolean {
  return name.endsWith('.yaml') && !name.split(path.sep).some((part) => part.startsWith('_'));
}

// One after the other takes half of the work of all at once: hundreds of small files that are in memory already.
function readText(file: string, { relativeTo = '.' }: LoadOptions): CaseText {
  return { name: path.relative(relativeTo, file), text: readFileSync(file, 'utf8') };
}

/** Cases of the text of one file. */
export function parseCases(
  file: string,
  text: string,
  options: Pick<LoadOptions, 'levelOf' | 'memory' | 'run'> = {},
): LoadedCases {
  const known = options.memory?.recall(text);
  if (known !== undefined && isCaseFile(known.value)) {
    return { ...expandFile(known.value, knownDocument(file, text, known.value), options, 'checked'), fresh: [] };
  }
  const source = readDocument(file, text);
  if (source.errors.length > 0)
    return { cases: [], problems: source.errors.map((error) => ({ file, path: [], ...error })), fresh: [] };
  const found = caseProblems(source.value);
  const problems = found.map(({ path: at, key, message }) => ({
    file,
    message,
    path: at,
    position: source.position(at, key ? 'key' : undefined),
  }));
  // A wrong case takes only itself out; a wrong head of the file takes them all.
  const wrong = new Set(
    found.map(({ path: [head, index] }) => (head === 'cases' && typeof index === 'number' ? index : 'file')),
  );
  if (wrong.has('file') || !isCaseFile(source.value)) return { cases: [], problems, fresh: [] };
  const expanded = expandFile(source.value, source, options, wrong);
  const all = [...problems, ...expanded.problems, ...hiddenIds(expanded.cases, text)];
  const fresh = all.length === 0 ? [{ name: file, text, value: source.value }] : [];
  return { cases: expanded.cases, problems: all, fresh };
}

// A file is chosen by its text before it is parsed; an escape in an id would hide it.
function hiddenIds(cases: readonly ConcreteCase[], text: string): readonly Problem[] {
  return cases.flatMap(({ file, baseId, generated, at, position }) => {
    const place = [...at, 'id'];
    return generated === true || text.includes(baseId)
      ? []
      : [{ file, message: `id ${baseId} is to be written as it is`, path: place, position: position(place) }];
  });
}

// The schema has looked at it; it is not parsed into, because placeholders stand where it wants numbers.
function isCaseFile(value: unknown): value is CaseFile {
  return isObject(value) && isList(value['cases']);
}

function expandFile(
  parsed: CaseFile,
  source: SourceDocument,
  options: Pick<LoadOptions, 'levelOf' | 'run'>,
  wrong: ReadonlySet<number | string> | 'checked',
): Pick<LoadedCases, 'cases' | 'problems'> {
  const context = {
    source,
    suite: parsed.suite,
    defaults: parsed.defaults ?? {},
    levelOf: options.levelOf ?? (() => undefined),
    lazy: wrong === 'checked',
    run: options.run,
  };
  const cases: ConcreteCase[] = [];
  const problems: Problem[] = [];
  for (const [index, written] of parsed.cases.entries()) {
    if (wrong !== 'checked' && wrong.has(index)) continue;
    const at: Path = ['cases', index];
    try {
      const expanded = expandCase(written, at, context);
      if (wrong !== 'checked') problems.push(...rowProblems(expanded, written, parsed, source));
      cases.push(...expanded);
    } catch (error) {
      if (!(error instanceof AuthoringError)) throw error;
      problems.push({
        file: source.file,
        message: error.message,
        path: error.at,
        position: source.position(error.at),
      });
    }
  }
  return { cases, problems };
}

/** With the rows filled in, the schema is asked again: a row may give a text where a number belongs. */
function rowProblems(
  expanded: readonly ConcreteCase[],
  written: WrittenCase,
  parsed: CaseFile,
  source: SourceDocument,
): readonly Problem[] {
  // Without a row nothing has changed since the file was checked.
  if (written.vary === undefined || !JSON.stringify(written).includes('${row')) return [];
  const found = new Map<string, Problem>();
  for (const given of expanded) {
    const file = { suite: parsed.suite, cases: [asWritten(given, written)] };
    for (const { path: at, key, message } of caseProblems(file)) {
      const inFile = [...given.at, ...at.slice(2)];
      const position = source.position(inFile, key ? 'key' : undefined);
      const text = `${message} (in ${given.id})`;
      const place = `${position.line}:${position.column}`;
      if (!found.has(place)) found.set(place, { file: source.file, message: text, path: inFile, position });
    }
  }
  return [...found.values()];
}

function asWritten(given: ConcreteCase, { steps }: WrittenCase): unknown {
  const { baseId, title, clauses, config, peers, tokens, witness, property, expect } = given;
  return {
    id: baseId,
    title,
    clauses,
    config,
    peers,
    ...(tokens === undefined ? {} : { tokens }),
    ...(steps === undefined ? { property } : { steps: given.steps.map(writtenStep) }),
    ...(Object.keys(expect).length === 0 ? {} : { expect }),
    witness,
  };
}

/** A step as it would stand in a file. */
export function writtenStep({ at: _at, kind, input, ...common }: ConcreteCase['steps'][number]): unknown {
  const { id, ...rest } = common;
  return { id, [kind]: input, ...rest };
}
