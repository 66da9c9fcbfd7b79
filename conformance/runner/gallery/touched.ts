import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import type { ConcreteCase } from '../case/concrete-case.ts';
import { isList, isObject, jsonEquals } from '../values/json.ts';
import type { Sources } from './declarations.ts';
import type { Defect } from './defects.ts';
import { locateEdits } from './locate-edits.ts';

/** What is compared with how it was at a commit. */
export interface Compared {
  readonly root: string;
  readonly cases: readonly Pick<ConcreteCase, 'id' | 'kills'>[];
  readonly sources: Sources;
}

/**
 * The defects of which it is not known that they are still killed, though all of them were at that commit: those that were written or
 * changed since, those that edit a file in whose folder something changed (a table that nobody asks any more can be edited without
 * consequences), and those listed by a case that changed. What is not committed counts too. Of the runner and the mocks it knows
 * nothing. Throws an Error where git does not know the commit.
 */
export function touchedSince(
  commit: string,
  defects: readonly Defect[],
  { root, cases, sources }: Compared,
): readonly Defect[] {
  const history = openHistory(root, commit);
  const folders = new Set(history.changed.filter((file) => sources.texts.has(file)).map(folderOf));
  const written = changedIds(history, 'conformance/gallery/', entriesOfDefects);
  const listed = new Set(rewritten(history, cases).flatMap(({ kills }) => kills));
  return defects.filter(
    ({ id, edits }) =>
      written.has(id) ||
      listed.has(id) ||
      locateEdits(edits, sources).replacements.some(({ file }) => folders.has(folderOf(file))),
  );
}

/** The cases that were written or changed since a commit, in a file of cases. Throws an Error where git does not know the commit. */
export function rewrittenSince<Case extends { readonly id: string }>(
  commit: string,
  cases: readonly Case[],
  root: string,
): readonly Case[] {
  return rewritten(openHistory(root, commit), cases);
}

function rewritten<Case extends { readonly id: string }>(history: History, cases: readonly Case[]): readonly Case[] {
  const ids = changedIds(history, 'conformance/cases/', entriesOfCases);
  return cases.filter(({ id }) => ids.has(writtenId(id)));
}

function folderOf(file: string): string {
  return path.posix.dirname(file);
}

/** The id a case is written with, without the row and the vantage that one of several was made of. */
function writtenId(id: string): string {
  return id.replace(/[[@].*$/, '');
}

interface History {
  /** Files that differ from the commit, relative to the root. */
  readonly changed: readonly string[];
  /** What a file said at the commit and what it says now; empty where it was or is not there. */
  readonly texts: (file: string) => readonly [before: string, now: string];
}

function openHistory(root: string, commit: string): History {
  const git = (...rest: readonly string[]): string =>
    execFileSync('git', ['-C', root, ...rest], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: MOST_BYTES,
    });
  const known = attempt(() => git('rev-parse', '--verify', '--quiet', `${commit}^{commit}`).trim());
  if (known === undefined) throw new Error(`git knows no commit ${commit} here`);
  const lines = [
    ...git('diff', '--name-only', '--no-renames', '--relative', known, '--').split('\n'),
    ...git('ls-files', '--others', '--exclude-standard').split('\n'),
  ];
  return {
    changed: lines.filter((line) => line !== ''),
    texts: (file) => {
      const place = path.join(root, file);
      return [
        attempt(() => git('show', `${known}:./${file}`)) ?? '',
        existsSync(place) ? readFileSync(place, 'utf8') : '',
      ];
    },
  };
}

const MOST_BYTES = 64 * 1024 * 1024;

function attempt<Value>(ask: () => Value): Value | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}

type Entries = ReadonlyMap<string, unknown>;

/** The ids of entries that are new or differ, over all changed YAML files of the folder. */
function changedIds(
  { changed, texts }: History,
  folder: string,
  entriesOf: (content: unknown) => Entries,
): ReadonlySet<string> {
  const files = changed.filter((file) => file.startsWith(folder) && file.endsWith('.yaml'));
  return new Set(
    files.flatMap((file) => {
      const [before, now] = texts(file).map((text) =>
        entriesOf(attempt(() => parse(text, { merge: true }) as unknown)),
      );
      return [...(now ?? [])].filter(([id, entry]) => !jsonEquals(before?.get(id), entry)).map(([id]) => id);
    }),
  );
}

function entriesOfDefects(content: unknown): Entries {
  return byId(isList(content) ? content : []);
}

/** A case with what its file says of all. */
function entriesOfCases(content: unknown): Entries {
  const { cases, ...shared } = isObject(content) ? content : {};
  return new Map([...byId(isList(cases) ? cases : [])].map(([id, entry]) => [id, { shared, entry }]));
}

function byId(list: readonly unknown[]): Entries {
  return new Map(list.filter(isObject).map((entry) => [String(entry['id']), entry]));
}
