import { describe, expect, test } from 'vitest';
import { isMap, isScalar, isSeq, parseDocument } from 'yaml';
import * as expressions from '../../case/case-names.ts';
import { readFragments } from '../../case/generate/fragments.ts';
import { lintCases } from '../../case/lint.ts';
import type { Path } from '../../values/check.ts';
import { readDocument, type Position } from '../../values/source-document.ts';
import { parsed, register } from './support.ts';

const FILE = `suite: x.positions
cases:
  - id: x.positions.all
    title: A case that has a bit of everything in it
    clauses: [{ id: X-001, as: positive }]
    peers:
      up:
        kind: http
        on: [{ match: { path: /a }, replies: [{ status: 200, headers: { x-a: b } }] }]
        reply: { status: 201, chunks: [a, { gate: g, giveUp: 1s }] }
      idp: { kind: idp, keys: [{ kid: k1 }] }
    tokens:
      good: { by: idp, claims: { aud: api } }
    topology:
      routes:
        - name: r
          rules:
            - { name: a, path: { exact: /a }, to: { peer: up, weight: 1 } }
    steps:
      - id: call
        http: { GET: /a, headers: { x-b: c } }
        on: [{ event: 1, open: g }]
        capture: { seen: headers.x-a }
        expect:
          headers: { x-a: { ~re: ^b, ~not: { ~in: [c, d] } } }
          json: { list: { ~each: { a: { ~any: [1, { ~gt: 2 }] } } } }
      - id: more
        parallel:
          - { id: inner, http: { GET: /b }, expect: { status: { ~class: 4xx } } }
      - id: many
        repeat: { times: 2, step: { id: one, http: { GET: /c }, expect: { body: { ~contains: x } } } }
      - id: asked
        op: { effective-policy: { phase: route, request: { path: /a } } }
        expect: { result: { timeouts: { request: { ~duration: 1s } } } }
    expect:
      received: { up: [{ GET: /a, headers: { x-b: { ~eq: c } } }] }
      attempted: { up: { ~ge: 1 } }
    kills: [none]
`;

describe('a mistake anywhere in a case', () => {
  test('such as an unknown key is found where it stands, in every object that is not open', () => {
    const found = mapsOf(FILE).map((path) => foundAt([...path, 'zz'], 1, 'key'));
    expect(found.filter((one) => one === 'elsewhere')).toEqual([]);
    expect(found.filter((one) => one === 'there').length).toBeGreaterThan(45);
  });

  test('such as an unknown matcher is found where it stands, at any depth of an expectation', () => {
    const expected = leavesOf(FILE).filter((path) => path.includes('expect') && !path.includes('~in'));
    const found = expected.map((path) => [path.join('.'), foundAt(path, { '~zz': 1 })]);
    // What ~eq takes is a value, whatever it looks like, and headers of a ledger entry are literal with it.
    expect(found.filter(([path, where]) => where !== 'there' && !String(path).includes('~eq'))).toEqual([]);
    expect(found.length).toBeGreaterThan(8);
  });
});

test('a mistake in generated cases is found where it stands', () => {
  const at = ['cases', 0, 'generate', 'boundaries'];
  expect(problemsOfGenerated('{ kinds: [ProxyPolicy, ProxyPolici] }')).toEqual([
    ['the table of fields has no ProxyPolici, did you mean ProxyPolicy?', [...at, 'kinds', 1]],
  ]);
  expect(problemsOfGenerated('{ kills: { some-defect: x.nothing.like.this } }')).toEqual([
    ['no generated case has an id like this', [...at, 'kills', 'some-defect']],
  ]);
});

test('a mistake in the fragments is found where it stands', () => {
  expect(() => readFragments('f.yaml', 'values: {}\nlenghts: {}\n')).toThrow(
    'f.yaml:2:1 unknown key "lenghts", did you mean "lengths"?\n    2 | lenghts: {}\n      | ^ lenghts',
  );
  expect(() => readFragments('f.yaml', 'skip:\n  - { rows: a, because: short }\n')).toThrow(/^f\.yaml:2:25 /);
  expect(() => readFragments('f.yaml', 'a: [\n')).toThrow(/^f\.yaml:\d+:\d+ /);
});

function problemsOfGenerated(boundaries: string): readonly (readonly [string, Path])[] {
  const text = `suite: x.generated
cases:
  - id: x.generated.all
    title: Each boundary of each field is a case
    clauses: [{ id: X-001, as: positive }]
    generate: { boundaries: ${boundaries} }
`;
  return parsed(text).problems.map(({ message, path }) => [message, path]);
}

/** Whether the mistake of another value at the path is told at its place. Silence is for values that nothing is known about. */
function foundAt(path: Path, value: unknown, key?: 'key'): 'there' | 'elsewhere' | 'silent' {
  const document = parseDocument(FILE);
  document.setIn(path, document.createNode(value));
  const text = document.toString({ lineWidth: 0 });
  const { cases, problems } = parsed(text);
  const all = [...problems, ...lintCases(cases, { register, expressions })];
  const wanted = readDocument('t.yaml', text).position(path, key);
  if (all.length === 0) return 'silent';
  return all.some(({ position }) => isNear(position, wanted)) ? 'there' : 'elsewhere';
}

/** The key of a matcher stands a little after the object that holds it. */
function isNear(position: Position, { line, column }: Position): boolean {
  return position.line === line && position.column >= column && position.column <= column + 8;
}

function mapsOf(text: string): readonly Path[] {
  return nodesOf(parseDocument(text).contents, []).flatMap(({ node, path }) => (isMap(node) ? [path] : []));
}

function leavesOf(text: string): readonly Path[] {
  return nodesOf(parseDocument(text).contents, []).flatMap(({ node, path }) => (isScalar(node) ? [path] : []));
}

function nodesOf(node: unknown, path: Path): readonly { readonly node: unknown; readonly path: Path }[] {
  if (isSeq(node)) return [{ node, path }, ...node.items.flatMap((item, index) => nodesOf(item, [...path, index]))];
  if (!isMap(node)) return [{ node, path }];
  return [
    { node, path },
    ...node.items.flatMap(({ key, value }) => nodesOf(value, [...path, isScalar(key) ? String(key.value) : ''])),
  ];
}
