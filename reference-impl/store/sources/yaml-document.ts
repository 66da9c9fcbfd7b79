import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Scalar,
  Lexer,
  type Node,
  parseDocument,
  type ParsedNode,
} from 'yaml';
import { MAX_OBJECT_BYTES } from '../../admission/shape.ts';
import type { Path } from '../../admission/violation.ts';

/** As long as one object may be; JSON is not limited. */
const MAX_DOCUMENT_LENGTH = MAX_OBJECT_BYTES;
/** The parser needs up to four microseconds for a mark or a word. Usual text of the largest size has less than this many. */
const MAX_LEXEMES = 700_000;
/** Characters up to which nobody counts. */
const UNCOUNTED = 256 * 1024;
const MAX_DEPTH = 64;
/** Values one document may have once its aliases are written out, when it has any. */
const MAX_ALIASED_VALUES = 10_000;

/** More of them help nobody, and one wrong character can cause thousands. */
const MAX_PROBLEMS = 50;

/** `offset` counts UTF-16 units from the start of the document. */
export interface YamlProblem {
  readonly offset: number;
  readonly message: string;
}

/** Warnings are about what other readers take for something else. */
export type ReadYaml =
  | { readonly ok: true; readonly value: unknown; readonly warnings: readonly YamlProblem[] }
  | { readonly ok: false; readonly problems: readonly YamlProblem[] };

/** Plain data of one YAML 1.2 document, or everything that is wrong with its syntax. */
export function readYaml(text: string, limit = MAX_DOCUMENT_LENGTH): ReadYaml {
  if (text.length > limit) {
    return {
      ok: false,
      problems: [
        {
          offset: 0,
          message: `a YAML document may have ${limit} characters; write a longer one as JSON`,
        },
      ],
    };
  }
  if (text.length > UNCOUNTED && hasTooManyLexemes(text)) {
    return { ok: false, problems: [{ offset: 0, message: `a YAML document may have ${MAX_LEXEMES} marks and words` }] };
  }
  const document = parse(text);
  const syntax = document.errors
    .slice(0, MAX_PROBLEMS)
    .map((error) => ({ offset: error.pos[0], message: plain(error.message) }));
  if (syntax.length > 0) return { ok: false, problems: syntax };
  const reader: Reader = { problems: [], warnings: [], anchors: new Map(), values: 0 };
  const value = valueOf(document.contents, reader, 0);
  return reader.problems.length > 0
    ? { ok: false, problems: reader.problems }
    : { ok: true, value, warnings: reader.warnings };
}

/** Stops counting there: to read all of them takes the time this is to save. */
function hasTooManyLexemes(text: string): boolean {
  const lexemes = new Lexer().lex(text);
  let left = MAX_LEXEMES;
  while (left > 0 && lexemes.next().done !== true) left -= 1;
  return left === 0;
}

/**
 * Gives the offset of the field at a path: of its key in a mapping, of itself in a list; of its parent when it is not
 * there. Parses once, and only when asked.
 */
export function offsetsIn(text: string): (path: Path) => number {
  let root: ParsedNode | null | undefined;
  return (path) => {
    if (text.length > MAX_DOCUMENT_LENGTH) return 0;
    root ??= parse(text).contents;
    return offsetAt(root, path);
  };
}

function offsetAt(root: ParsedNode | null, path: Path): number {
  let node: unknown = root;
  let offset = root?.range[0] ?? 0;
  for (const step of path) {
    const inner = memberAt(node, step);
    if (inner === undefined) return offset;
    offset = inner.shown.range?.[0] ?? offset;
    node = inner.value;
  }
  return offset;
}

/** One step down: the node a message points at (a key, or an item of a list), and where the next step begins. */
function memberAt(node: unknown, step: PropertyKey): { readonly shown: Node; readonly value: unknown } | undefined {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
    return pair !== undefined && isNode(pair.key) ? { shown: pair.key, value: pair.value } : undefined;
  }
  const item = isSeq(node) && typeof step === 'number' ? node.items[step] : undefined;
  return isNode(item) ? { shown: item, value: item } : undefined;
}

/** Pretty errors quote the text once per error, which takes time squared; repeated keys are found below in linear time. */
function parse(text: string): Document.Parsed {
  return parseDocument(text, { prettyErrors: false, uniqueKeys: false, stringKeys: true, logLevel: 'silent' });
}

interface Reader {
  readonly problems: YamlProblem[];
  readonly warnings: YamlProblem[];
  /** What an anchor stands for, and how many values that is. */
  readonly anchors: Map<string, { readonly value: unknown; readonly values: number }>;
  values: number;
}

function valueOf(node: ParsedNode | null, reader: Reader, depth: number): unknown {
  if (node === null) return null;
  if (depth > MAX_DEPTH) return problem(reader, node, `nested deeper than ${MAX_DEPTH} levels`);
  const before = reader.values;
  reader.values += 1;
  if (isAlias(node)) return readAlias(node.source, node, reader);
  const value = collectionOrScalar(node, reader, depth);
  if (node.anchor !== undefined) reader.anchors.set(node.anchor, { value, values: reader.values - before });
  return value;
}

function collectionOrScalar(node: ParsedNode, reader: Reader, depth: number): unknown {
  if (isSeq(node)) return node.items.map((item) => valueOf(item, reader, depth + 1));
  if (!isMap(node)) return isScalar(node) ? scalarOf(node, reader) : null;
  const entries = new Map<string, unknown>();
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? String(scalarOf(key, reader)) : '';
    if (name === '__proto__') problem(reader, key, 'the key __proto__ is not allowed');
    else if (entries.has(name)) problem(reader, key, `the key ${JSON.stringify(name)} is repeated`);
    entries.set(name, valueOf(value, reader, depth + 1));
  }
  return Object.fromEntries(entries);
}

function scalarOf(node: Scalar.Parsed, { warnings }: Reader): unknown {
  const kubectl =
    node.type === 'PLAIN' && typeof node.value === 'string' ? OLD_BOOLEANS[node.value.toLowerCase()] : undefined;
  if (kubectl !== undefined && /^.[a-z]*$|^[A-Z]+$/.test(node.source) && warnings.length < MAX_PROBLEMS) {
    const message = `${node.source} without quotes is a text here and ${kubectl} to kubectl; put it in quotes`;
    warnings.push({ offset: node.range[0], message });
  }
  return node.value;
}

/** Words that were booleans in YAML 1.1, which `kubectl` reads; in capitals, too, or with one at the beginning. */
const OLD_BOOLEANS: Readonly<Record<string, boolean>> = {
  y: true,
  yes: true,
  on: true,
  n: false,
  no: false,
  off: false,
};

function readAlias(anchor: string, node: ParsedNode, reader: Reader): unknown {
  const target = reader.anchors.get(anchor);
  if (target === undefined) return problem(reader, node, `the alias *${anchor} has no anchor before it`);
  reader.values += target.values;
  if (reader.values > MAX_ALIASED_VALUES)
    return problem(reader, node, `aliases expand to more than ${MAX_ALIASED_VALUES} values`);
  return target.value;
}

function problem(reader: Reader, node: ParsedNode, message: string): undefined {
  if (reader.problems.length < MAX_PROBLEMS) reader.problems.push({ offset: node.range[0], message });
  return undefined;
}

function plain(message: string): string {
  return message.includes('call stack') ? 'nested too deep' : message.replace(/ at line \d+, column \d+:?$/, '');
}
