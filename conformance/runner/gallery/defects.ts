import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { LineCounter, parseDocument, type Document } from 'yaml';
import { z } from 'zod';
import { globExpression } from '../values/glob.ts';
import { nearest } from '../values/nearest.ts';

export const clauseId = z.string().regex(/^[A-Z0-9]+-\d{3}$/, 'expected a clause such as MERGE-010');

/** An open point or a contradiction of the documents. */
export const openId = z.string().regex(/^[UA]-\d{3}$/, 'expected an open point such as U-021');

const symbol = z.string().regex(/^[A-Za-z_$][\w$]*$/, 'expected the name of a top-level declaration of the reference');

const IMPORTS_A_FILE = /\b(?:from|import\()\s*['"]\.{1,2}\//;

/** An edit as it is written. */
export const editSchema = z.strictObject({
  in: symbol,
  beside: symbol.optional(),
  import: z.array(symbol).min(1).optional(),
  find: z.string().regex(/\S/, 'expected some code'),
  replace: z.string().refine((text) => !IMPORTS_A_FILE.test(text), 'names a file, which may move: use import'),
});

const defectSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'expected a name in lower case with hyphens'),
  clauses: z.array(clauseId).min(1),
  text: z.string().min(1),
  edits: z.array(editSchema).min(1),
  open: z.array(openId).min(1).optional(),
  declares: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
});

/**
 * One replacement in the reference. It names no file, so that moving or renaming one leaves it true.
 *
 * - `in`: a top-level declaration. `find` stands exactly once in all declarations of that name together.
 * - `beside`: another declaration of the same file, where the name and the text alone fit several.
 * - `import`: what `replace` uses and the file may not import yet: exported declarations of the reference.
 */
export type Edit = z.infer<typeof editSchema>;

/**
 * A named way in which the reference could be wrong: the clauses it breaks, and the edits that break them. Lawful variants also say which
 * `open` points they answer in another way, and what their manifest `declares` instead of that of the reference: answers to open
 * points (null: none) and features.
 */
export interface Defect extends z.infer<typeof defectSchema> {
  /** `FILE:LINE` of the entry. */
  readonly place: string;
}

/** Every defect of the gallery, and what is wrong with its files as `FILE:LINE:COL path: message`. */
export interface Gallery {
  readonly defects: readonly Defect[];
  readonly problems: readonly string[];
}

/** Reads the YAML files of a folder; `shownAs` is the folder's name in messages. A broken entry is left out. */
export async function readGallery(folder: string, shownAs: string): Promise<Gallery> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).toSorted();
  const files = await Promise.all(
    names.map(async (name) => parseDefects(`${shownAs}/${name}`, await readFile(path.join(folder, name), 'utf8'))),
  );
  return { defects: files.flatMap(({ defects }) => defects), problems: files.flatMap(({ problems }) => problems) };
}

/** The defects of one file, a list. */
export function parseDefects(file: string, text: string): Gallery {
  const { entries, problems } = parseEntries({ file, text, of: 'defects' }, defectSchema);
  return { defects: entries, problems };
}

/** The entries of one file, a list, with where each stands; a broken entry is left out. */
export function parseEntries<Entry extends object>(
  { file, text, of }: { readonly file: string; readonly text: string; readonly of: string },
  schema: z.ZodType<Entry>,
): { readonly entries: readonly (Entry & { readonly place: string })[]; readonly problems: readonly string[] } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const at = (where: readonly PropertyKey[]): string => `${file}:${positionOf(document, lines, where)}`;
  if (document.errors.length > 0) {
    return { entries: [], problems: document.errors.map((error) => `${file}: ${error.message}`) };
  }
  const content: unknown = document.toJS();
  if (!Array.isArray(content)) return { entries: [], problems: [`${at([])}: expected a list of ${of}`] };
  const entries: (Entry & { readonly place: string })[] = [];
  const problems: string[] = [];
  for (const [index, entry] of content.entries()) {
    const parsed = schema.safeParse(entry);
    if (parsed.success) entries.push({ ...parsed.data, place: `${file}:${lineOf(document, lines, [index])}` });
    else problems.push(...parsed.error.issues.map((issue) => problemText(issue, [index, ...issue.path], at)));
  }
  return { entries, problems };
}

/** Those whose id matches one of the patterns (all without patterns), and the patterns that match none with a guess. */
export function selectDefects(
  defects: readonly Defect[],
  patterns: readonly string[],
): { readonly selected: readonly Defect[]; readonly unmatched: readonly string[] } {
  const expressions = patterns.map(globExpression);
  const selected = defects.filter(({ id }) => patterns.length === 0 || expressions.some((one) => one.test(id)));
  const unmatched = patterns.filter((_, index) => !defects.some(({ id }) => expressions[index]?.test(id)));
  return { selected, unmatched: unmatched.map((pattern) => withGuess(pattern, defects)) };
}

function withGuess(pattern: string, defects: readonly Defect[]): string {
  const ids = defects.map(({ id }) => id);
  const guess = nearest(pattern, ids);
  return guess === undefined ? pattern : `${pattern} (did you mean ${guess}?)`;
}

function problemText(
  issue: z.core.$ZodIssue,
  where: readonly PropertyKey[],
  at: (where: readonly PropertyKey[]) => string,
): string {
  return `${at(where)} ${where.map(String).join('.')}: ${issue.message}`;
}

function positionOf(document: Document, lines: LineCounter, where: readonly PropertyKey[]): string {
  const { line, col } = lines.linePos(offsetOf(document, where));
  return `${line}:${col}`;
}

function lineOf(document: Document, lines: LineCounter, where: readonly PropertyKey[]): number {
  return lines.linePos(offsetOf(document, where)).line;
}

/** Where the node stands, or the nearest one around it that exists. */
function offsetOf(document: Document, where: readonly PropertyKey[]): number {
  for (let depth = where.length; depth >= 0; depth--) {
    const node: unknown = depth === 0 ? document.contents : document.getIn(where.slice(0, depth), true);
    const range = node !== null && typeof node === 'object' && 'range' in node ? node.range : undefined;
    const offset: unknown = Array.isArray(range) ? range[0] : undefined;
    if (typeof offset === 'number') return offset;
  }
  return 0;
}
