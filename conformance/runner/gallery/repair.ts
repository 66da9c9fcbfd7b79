import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type Document, type YAMLMap } from 'yaml';
import type { Sources } from './declarations.ts';
import { editSchema, type Edit } from './defects.ts';
import { asRenamed } from './explain-edit.ts';
import { followEdit, renameEdit, renameWords, type Followed } from './follow-edit.ts';
import { locateEdits } from './locate-edits.ts';
import { tokensOf, type Span } from './text-pattern.ts';

/** A file of the gallery whose edits name the declarations that their texts have moved to. */
export interface Repaired {
  readonly text: string;
  /** `FILE:LINE: OLD is now NEW` for each edit that was rewritten. */
  readonly notes: readonly string[];
  /** Old and new names of what is declared under its new name only. */
  readonly renames: readonly (readonly [string, string])[];
}

type Names = ReadonlyMap<string, string>;

/**
 * Rewrites the files of a folder in place and returns the notes. An edit whose text has not one new place stays as it is,
 * unless other edits tell how what it names is called now.
 */
export async function repairGallery(folder: string, shownAs: string, sources: Sources): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).toSorted();
  const repair = async (known: Names): Promise<readonly Repaired[]> =>
    Promise.all(
      names.map(async (name) => {
        const file = path.join(folder, name);
        const repaired = repairFile(`${shownAs}/${name}`, await readFile(file, 'utf8'), sources, known);
        if (repaired.notes.length > 0) await writeFile(file, repaired.text);
        return repaired;
      }),
    );
  const first = await repair(new Map());
  const second = await repair(withoutDisputes(first.flatMap(({ renames }) => renames)));
  return [...first, ...second].flatMap(({ notes }) => notes);
}

/** One file. Only names change: the rest of the text, comments and layout too, stays as it is. */
export function repairFile(file: string, text: string, sources: Sources, known: Names = new Map()): Repaired {
  const lines = new LineCounter();
  const moves = editsOf(parseDocument(text, { lineCounter: lines })).flatMap(({ map, edit }) => {
    const followed = followNames(edit, known, sources) ?? followEdit(edit, sources);
    return followed === undefined ? [] : [{ map, edit, followed }];
  });
  const splices = moves.flatMap(({ map, followed }) => [
    ...splicesOf(map, followed.edit, lines),
    ...renamesOf(map, followed.names, text),
  ]);
  return {
    text: splices
      .toSorted((one, other) => other.start - one.start)
      .reduce((now, { start, end, put }) => now.slice(0, start) + put + now.slice(end), text),
    notes: moves.map(({ map, edit, followed }) => {
      const { line } = lines.linePos(map.range?.[0] ?? 0);
      return `${file}:${line}: ${nameOf(edit)} is now ${nameOf(followed.edit)}${asRenamed(followed)}`;
    }),
    renames: moves
      .flatMap(({ edit, followed }) => [[edit.in, followed.edit.in] as const, ...followed.names])
      .filter(([old, now]) => !sources.declared.has(old) && sources.declared.has(now)),
  };
}

/** Names for which all say the same. */
function withoutDisputes(renames: readonly (readonly [string, string])[]): Names {
  const disputed = renames.filter(([old, now]) => renames.some((one) => one[0] === old && one[1] !== now));
  return new Map(renames.filter((one) => !disputed.includes(one)));
}

/** An edit that applies only once what it names is called as it is now. */
function followNames(edit: Edit, known: Names, sources: Sources): Pick<Followed, 'edit' | 'names'> | undefined {
  const words = [edit.in, ...(edit.import ?? []), edit.find, edit.replace].flatMap(tokensOf);
  const names = new Map([...known].filter(([old]) => words.includes(old)));
  if (names.size === 0 || locateEdits([edit], sources).problems.length === 0) return undefined;
  const followed = renameEdit(edit, names);
  return locateEdits([followed], sources).problems.length === 0 ? { edit: followed, names } : undefined;
}

/** Every edit that can be read, with its place in the document. */
function editsOf(document: Document): readonly { readonly map: YAMLMap; readonly edit: Edit }[] {
  if (document.errors.length > 0 || !isSeq(document.contents)) return [];
  const lists = document.contents.items.map((defect) => (isMap(defect) ? defect.get('edits', true) : undefined));
  const maps = lists.flatMap((list) => (isSeq(list) ? list.items.filter(isMap) : []));
  return maps.flatMap((map) => {
    const { data } = editSchema.safeParse(map.toJS(document));
    return data === undefined ? [] : [{ map, edit: data }];
  });
}

interface Splice extends Span {
  readonly put: string;
}

/** `beside` is written anew behind `in`, or left out. */
function splicesOf(map: YAMLMap, { in: name, beside }: Edit, lines: LineCounter): readonly Splice[] {
  const spans = map.items.map(({ key, value }) => ({ start: spanOf(key).start, end: spanOf(value).end }));
  const indexOf = (key: string): number => map.items.findIndex((pair) => isScalar(pair.key) && pair.key.value === key);
  const [named, near] = [spans[indexOf('in')], indexOf('beside')];
  if (named === undefined) return [];
  const separator = map.flow === true ? ', ' : `\n${' '.repeat(lines.linePos(named.start).col - 1)}`;
  const names = [`in: ${name}`, ...(beside === undefined ? [] : [`beside: ${beside}`])];
  const { end = 0 } = spans[near] ?? {};
  const removed = near < 0 ? [] : [{ start: spans[near - 1]?.end ?? 0, end, put: '' }];
  return [{ ...named, put: names.join(separator) }, ...removed];
}

/** In the other values as they are written. */
function renamesOf(map: YAMLMap, names: ReadonlyMap<string, string>, text: string): readonly Splice[] {
  if (names.size === 0) return [];
  const values = map.items.filter(({ key }) => isScalar(key) && key.value !== 'in' && key.value !== 'beside');
  return values.map(({ value }) => {
    const span = spanOf(value);
    return { ...span, put: renameWords(text.slice(span.start, span.end), names) };
  });
}

function spanOf(node: unknown): Span {
  const [start = 0, end = 0] = (isNode(node) ? node.range : undefined) ?? [];
  return { start, end };
}

function nameOf({ in: name, beside }: Edit): string {
  return beside === undefined ? name : `${name} beside ${beside}`;
}
