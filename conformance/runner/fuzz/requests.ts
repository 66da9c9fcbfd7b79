import fc from 'fast-check';
import type { ConcreteCase, TopologyRule } from '../case/concrete-case.ts';
import type { Step } from '../steps/step.ts';
import { isObject } from '../values/json.ts';
import type { Family } from './property.ts';

/**
 * Requests of HTTP/1.1 in odd but valid clothes: fields in any order and case, spaces around values, bodies in chunks of any size, written
 * in pieces. Each reaches the backend of its meaning, once, with the same meaning.
 */
export const requests: Family = {
  noun: 'requests',
  examples: (one, max) => fc.tuple(MEANINGS, clothes(max)).map(([meaning, worn]) => drawnCase(one, meaning, worn)),
};

/** What a request says, however it is written. */
interface Meaning {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Names in lower case. */
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How it is written. */
interface Clothes {
  /** Numbers by which the fields are put in order. */
  readonly order: readonly number[];
  /** Which letters of names are capitals. */
  readonly capitals: readonly boolean[];
  readonly before: string;
  readonly after: string;
  /** Sizes of chunks, one after the other; none: the body has a length. */
  readonly chunks: readonly number[];
  readonly extension: string;
  /** Where the bytes are cut, as shares of the whole. */
  readonly cuts: readonly number[];
}

// What is percent-encoded here means something else without it. No segment is empty: no document says whether such are put together.
const SEGMENTS = fc.array(fc.constantFrom('deep', 'whole', 'Deep', 'x', '%2F', '%20', '%C3%A9', 'a;b', '~', '%3F'), {
  maxLength: 3,
});
const PATHS = fc
  .tuple(fc.constantFrom('/p', '/p/deep', '/p/whole', '/pq', '/p/deeper', '/m', '/f', '/q'), SEGMENTS)
  .map(([begin, more]) => [begin, ...more].join('/'));
const MEANINGS: fc.Arbitrary<Meaning> = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'),
  path: PATHS,
  query: fc.constantFrom('', '?k=odd', '?k=even', '?a=1&k=odd', '?k=odd&a=%26', '?k', '?a=b=c'),
  fields: fc.record(
    {
      'x-kind': fc.constantFrom('odd', 'even', 'Odd'),
      'x-text': fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/).filter((text) => !text.includes('$')),
      'x-list': fc.constantFrom('a', 'a, b', 'a;q=1'),
    },
    { requiredKeys: [] },
  ),
  body: fc.stringMatching(/^[a-z\r\n0]{0,40}$/),
});

function clothes(max: number): fc.Arbitrary<Clothes> {
  const space = fc.constantFrom('', ' ', '\t', '  ');
  return fc.record({
    order: fc.array(fc.nat({ max: 99 }), { minLength: 6, maxLength: 6 }),
    capitals: fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
    before: space,
    after: space,
    chunks: fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: max }),
    extension: fc.constantFrom('', ';a=b', ';a'),
    cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: max }),
  });
}

function drawnCase(one: ConcreteCase, meaning: Meaning, worn: Clothes): ConcreteCase {
  const { method, path, query, fields, body } = meaning;
  const backend = backendOf(one, meaning);
  const seen = {
    [method]: path,
    query: query.slice(1),
    headers: fields,
    ...(carries(meaning) && body !== '' ? { body } : {}),
  };
  const step: Step = {
    id: 'request',
    kind: 'raw',
    input: { send: piecesOf(meaning, worn) },
    expect: backend === undefined ? { status: 404 } : { status: 200, body: `from-${backend}` },
    at: [...one.at, 'property', 'check', 0],
  };
  const received = Object.fromEntries(Object.keys(one.peers).map((peer) => [peer, peer === backend ? [seen] : []]));
  return { ...one, steps: [step], expect: { received } };
}

function carries({ method }: Meaning): boolean {
  return method === 'POST' || method === 'PUT';
}

/** The bytes of the request, cut into what is written at once. */
function piecesOf(meaning: Meaning, { cuts, ...worn }: Clothes): readonly string[] {
  const text = `${headOf(meaning, worn)}\r\n\r\n${carries(meaning) ? bodyOf(meaning.body, worn) : ''}`;
  const ends = [...new Set(cuts.map((cut) => Math.round(cut * text.length)))].toSorted((a, b) => a - b);
  const pieces = [...ends, text.length].map((end, index) => text.slice(ends[index - 1] ?? 0, end));
  return pieces.filter((piece) => piece !== '').map((piece) => piece.replaceAll(HOST, '${case.host}'));
}

/** Stands for the host while the bytes are cut: only when the case runs it is known. */
const HOST = '\u0001';

function headOf(meaning: Meaning, worn: Omit<Clothes, 'cuts'>): string {
  const { method, path, query, fields, body } = meaning;
  const framing: readonly Field[] = !carries(meaning)
    ? []
    : worn.chunks.length > 0
      ? [['transfer-encoding', 'chunked']]
      : [['content-length', String(body.length)]];
  const all: readonly Field[] = [['host', HOST], ...Object.entries(fields), ...framing];
  const ordered = all.map((field, index) => ({ field, at: worn.order[index] ?? 0 })).toSorted((a, b) => a.at - b.at);
  const lines = ordered.map(({ field: [name, value] }) => {
    // A tab after `chunked` is valid too, but Node's parser takes it for another coding: not what this is about.
    const after = name === 'transfer-encoding' ? worn.after.replaceAll('\t', ' ') : worn.after;
    return `${inCase(name, worn)}:${worn.before}${value}${after}`;
  });
  return [`${method} ${path}${query} HTTP/1.1`, ...lines].join('\r\n');
}

type Field = readonly [name: string, value: string];

function inCase(name: string, { capitals }: Pick<Clothes, 'capitals'>): string {
  return Array.from(name, (letter, index) =>
    capitals[index % capitals.length] === true ? letter.toUpperCase() : letter,
  ).join('');
}

/** The body as it is, or in chunks of the sizes, over and over. */
function bodyOf(body: string, { chunks, extension }: Pick<Clothes, 'chunks' | 'extension'>): string {
  if (chunks.length === 0) return body;
  let text = '';
  for (let at = 0, turn = 0; at < body.length; turn += 1) {
    const chunk = body.slice(at, at + (chunks[turn % chunks.length] ?? 1));
    text += `${chunk.length.toString(16)}${extension}\r\n${chunk}\r\n`;
    at += chunk.length;
  }
  return `${text}0\r\n\r\n`;
}

/**
 * Where a request goes by the topology of the property, in which no two rules are equally specific: an exact path before a prefix, the
 * longer prefix before the shorter one, then a method, then fields, then parameters of the query.
 */
function backendOf({ topology }: ConcreteCase, meaning: Meaning): string | undefined {
  const rules = topology.routes.flatMap((route) => route.rules).filter((rule) => matches(rule, meaning));
  const [best] = rules.toSorted((a, b) => compare(specificity(b), specificity(a)));
  return best?.to[0]?.name;
}

function matches({ path, method, headers, query }: TopologyRule, meaning: Meaning): boolean {
  const parameters = new Map(meaning.query.slice(1).split('&').map(parameterOf));
  return (
    pathMatches(path ?? {}, meaning.path) &&
    (method === undefined || method === meaning.method) &&
    entriesOf(headers).every(([name, value]) => meaning.fields[name] === value) &&
    entriesOf(query).every(([name, value]) => parameters.get(name) === value)
  );
}

/** A prefix ends where a segment does. */
function pathMatches({ exact, prefix = '/' }: NonNullable<TopologyRule['path']>, path: string): boolean {
  if (exact !== undefined) return path === exact;
  return prefix === '/' || path === prefix || path.startsWith(`${prefix}/`);
}

function parameterOf(text: string): Field {
  const [name = '', ...value] = text.split('=');
  return [name, value.join('=')];
}

function specificity({ path, method, headers, query }: TopologyRule): readonly number[] {
  const { exact, prefix = '' } = path ?? {};
  const conditions = [entriesOf(headers).length, entriesOf(query).length];
  return [exact === undefined ? 0 : 1, prefix.length, method === undefined ? 0 : 1, ...conditions];
}

function compare(one: readonly number[], other: readonly number[]): number {
  return one.map((number, index) => number - (other[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

function entriesOf(written: unknown): readonly (readonly [string, unknown])[] {
  return isObject(written) ? Object.entries(written) : [];
}
