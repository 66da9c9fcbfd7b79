import type { Path } from '../../admission/violation.ts';
import { offsetsIn, readYaml, type YamlProblem } from './yaml-document.ts';

/** Counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** One document of a file, as text. Equal text means equal content, wherever it stands. */
export interface DocumentText {
  readonly text: string;
  /** Line of the file its first line is, from 1. */
  readonly line: number;
}

export type ReadDocument =
  | { readonly ok: true; readonly value: unknown; readonly warnings?: readonly TextProblem[] }
  | { readonly ok: false; readonly problems: readonly TextProblem[] };

/** `position` counts within the document. */
export interface TextProblem {
  readonly position: Position;
  readonly message: string;
}

/**
 * The documents of a YAML or JSON text. A line of `---` begins one and a line of `...` ends one even inside other YAML
 * syntax, so this needs no parser, and a change to one document leaves the text of the others equal.
 */
export function splitDocuments(text: string): DocumentText[] {
  const documents: DocumentText[] = [];
  let start = 0;
  let line = 1;
  let startLine = 1;
  const cut = (end: number): void => {
    const part = text.slice(start, end);
    if (!isBlank(part)) documents.push({ text: part, line: startLine });
    start = end;
    startLine = line;
  };
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf('\n', at);
    const next = newline < 0 ? text.length : newline + 1;
    // A marker that closes nothing but directives belongs to the document they are for.
    if (isMarker(text, at, '---') && !isPreamble(text.slice(start, at))) cut(at);
    line += 1;
    if (isMarker(text, at, '...')) cut(next);
    at = next;
  }
  cut(text.length);
  return documents;
}

/**
 * The value of one document as plain data. Bounded in time and memory; never throws. `yamlLimit` is in characters; JSON
 * has no such limit.
 */
export function readDocument(text: string, yamlLimit?: number): ReadDocument {
  const json = readJson(text);
  if (json !== undefined) return json;
  const read = readYaml(text, yamlLimit);
  const located = (problems: readonly YamlProblem[]): TextProblem[] =>
    problems.map(({ offset, message }) => ({ position: positionOf(text, offset), message }));
  if (!read.ok) return { ok: false, problems: located(read.problems) };
  const { value, warnings } = read;
  return { ok: true, value, ...(warnings.length > 0 && { warnings: located(warnings) }) };
}

/** Tells where the field of a path stands; for a field that is not there, where its parent stands. */
export function locatorOf(text: string): (path: Path) => Position {
  const offsetOf = offsetsIn(text);
  return (path) => positionOf(text, offsetOf(path));
}

/** JSON is YAML too, but reading it as JSON is thirty times faster; whatever is not plain JSON goes the other way. */
function readJson(text: string): ReadDocument | undefined {
  const body = text.replace(/^---(?:[ \t]+|[ \t]*\r?\n)/, '');
  if (!/^\s*\{/.test(body)) return undefined;
  try {
    const value: unknown = JSON.parse(body);
    return countPlainKeys(body) === countMembers(value) ? { ok: true, value } : undefined;
  } catch {
    // Not JSON: the YAML reader takes it, or says where it is wrong.
    return undefined;
  }
}

/**
 * Keys as written; undefined when one has an escape, since Node 24 may read `"a\""` as the key `a\` where it has seen an
 * object with that key before. Fewer members than keys means that a key was repeated.
 */
function countPlainKeys(json: string): number | undefined {
  let keys = 0;
  for (const [string, colon] of json.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)) {
    if (colon === undefined) continue;
    if (string.includes('\\')) return undefined;
    keys += 1;
  }
  return keys;
}

function countMembers(root: unknown): number {
  let members = 0;
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    const inner: unknown[] = Object.values(value);
    if (!Array.isArray(value)) members += inner.length;
    for (const member of inner) open.push(member);
  }
  return members;
}

function isMarker(text: string, at: number, marker: string): boolean {
  return text.startsWith(marker, at) && (at + 3 === text.length || ' \t\r\n'.includes(text[at + 3] ?? ''));
}

function isBlank(text: string): boolean {
  return text.split('\n').every((line) => /^(---|\.\.\.)?\s*(#.*)?$/.test(line));
}

/** Directives, comments and empty lines only. */
function isPreamble(text: string): boolean {
  return !text.startsWith('---') && text.split('\n').every((line) => /^\s*(#.*)?$/.test(line) || line.startsWith('%'));
}

function positionOf(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return { line, column: offset - (before.lastIndexOf('\n') + 1) + 1 };
}
