import { isMap, isPair, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { Document, Node, ParsedNode } from 'yaml';
import type { Path } from './check.ts';

/** A place in a file, counted from 1, with the text of its line. */
export interface Position {
  readonly line: number;
  readonly column: number;
  readonly lineText: string;
}

/** A YAML file with the place of everything in it. */
export interface SourceDocument {
  /** The name for messages, relative to the package root where it lies inside. */
  readonly file: string;
  readonly value: unknown;
  /** Syntax errors; when there are any, `value` means nothing. */
  readonly errors: readonly { readonly message: string; readonly position: Position }[];
  /** The place of the value at a path; of its key when `key` is set. A path that leads nowhere gives the last place on it. */
  readonly position: (path: Path, key?: 'key') => Position;
}

/** Reads YAML text into a value and remembers where everything stands. Never throws for bad YAML. */
export function readDocument(file: string, text: string): SourceDocument {
  const { contents, errors, place, value } = parse(text);
  return { file, value, errors, position: (path, key) => place(offsetOf(contents, path, key === 'key')) };
}

/** The same for a text whose value is known; it is parsed only when somebody asks for a place in it. */
export function knownDocument(file: string, text: string, value: unknown): SourceDocument {
  let parsed: Parsed | undefined;
  return {
    file,
    value,
    errors: [],
    position: (path, key) => {
      const { contents, place } = (parsed ??= parse(text));
      return place(offsetOf(contents, path, key === 'key'));
    },
  };
}

interface Parsed extends Pick<SourceDocument, 'value' | 'errors'> {
  readonly contents: ParsedNode | null;
  readonly place: (offset: number) => Position;
}

function parse(text: string): Parsed {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false });
  const lines = text.split('\n');
  const place = (offset: number): Position => {
    const { line, col } = counter.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1), lineText: (lines[line - 1] ?? '').replace(/\r$/, '') };
  };
  // One syntax error drags others behind it, not always in their order in the text.
  const errors = document.errors
    .map(({ message, pos }) => ({ message, position: place(pos[0]) }))
    .toSorted((left, right) => left.position.line - right.position.line || left.position.column - right.position.column)
    .slice(0, 3);
  return { contents: document.contents, place, errors, value: errors.length === 0 ? toValue(document) : undefined };
}

function toValue(document: Document.Parsed): unknown {
  const value: unknown = document.toJS();
  return value;
}

function offsetOf(root: ParsedNode | null, path: Path, ofKey: boolean): number {
  let node: Node | null = root;
  let offset = root?.range?.[0] ?? 0;
  for (const [depth, segment] of path.entries()) {
    const step = child(node, segment);
    if (step === undefined) return offset;
    offset = placeOf(step, ofKey && depth === path.length - 1) ?? offset;
    node = step.value;
  }
  return offset;
}

interface Child {
  /** Where the key stands; absent for an item of a list. */
  readonly key?: number;
  readonly value: Node | null;
}

function placeOf({ key, value }: Child, ofKey: boolean): number | undefined {
  return (ofKey || value === null ? key : value.range?.[0]) ?? key;
}

function child(node: Node | null, segment: string | number): Child | undefined {
  if (isSeq<Node>(node)) {
    const item = node.items[Number(segment)];
    return item === undefined ? undefined : { value: item };
  }
  if (!isMap<Node, Node | null>(node)) return undefined;
  const pair = node.items.find(
    (item) => isPair(item) && isScalar(item.key) && String(item.key.value) === String(segment),
  );
  if (pair === undefined) return undefined;
  const key = pair.key.range?.[0];
  return { value: pair.value, ...(key === undefined ? {} : { key }) };
}
