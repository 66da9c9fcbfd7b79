import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type Document, type YAMLMap } from 'yaml';
import type { Sources } from './declarations.ts';
import { editSchema, type Edit } from './defects.ts';
import { followEdit } from './explain-edit.ts';
import type { Span } from './text-pattern.ts';

/** A file of the gallery whose edits name the declarations that their texts have moved to. */
export interface Repaired {
  readonly text: string;
  /** `FILE:LINE: OLD is now NEW` for each edit that was rewritten. */
  readonly notes: readonly string[];
}

/** Rewrites the files of a folder in place and returns the notes. An edit whose text has not one new place stays as it is. */
export async function repairGallery(folder: string, shownAs: string, sources: Sources): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).toSorted();
  const notes = await Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name);
      const repaired = repairFile(`${shownAs}/${name}`, await readFile(file, 'utf8'), sources);
      if (repaired.notes.length > 0) await writeFile(file, repaired.text);
      return repaired.notes;
    }),
  );
  return notes.flat();
}

/** One file. Only names change: the rest of the text, comments and layout too, stays as it is. */
export function repairFile(file: string, text: string, sources: Sources): Repaired {
  const lines = new LineCounter();
  const moves = editsOf(parseDocument(text, { lineCounter: lines })).flatMap(({ map, edit }) => {
    const followed = followEdit(edit, sources);
    return followed === undefined ? [] : [{ map, edit, followed }];
  });
  const splices = moves.flatMap(({ map, followed }) => splicesOf(map, followed, lines));
  return {
    text: splices
      .toSorted((one, other) => other.start - one.start)
      .reduce((now, { start, end, put }) => now.slice(0, start) + put + now.slice(end), text),
    notes: moves.map(({ map, edit, followed }) => {
      const { line } = lines.linePos(map.range?.[0] ?? 0);
      return `${file}:${line}: ${nameOf(edit)} is now ${nameOf(followed)}`;
    }),
  };
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

function spanOf(node: unknown): Span {
  const [start = 0, end = 0] = (isNode(node) ? node.range : undefined) ?? [];
  return { start, end };
}

function nameOf({ in: name, beside }: Edit): string {
  return beside === undefined ? name : `${name} beside ${beside}`;
}
