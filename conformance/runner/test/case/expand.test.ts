import { describe, expect, test } from 'vitest';
import { caseOf, goodFile, parsed } from './support.ts';

function ids(text: string): readonly string[] {
  return parsed(text).cases.map(({ id }) => id);
}

const NEEDS = 'needs: [core.http]';
const TWO_POLICIES = [
  '      - kind: ProxyPolicy\n',
  '      - { kind: ProxyPolicy, metadata: { name: q }, spec: {} }\n      - kind: ProxyPolicy\n',
] as const;

function policies(count: number): string {
  return Array.from(
    { length: count },
    (_, index) => `      - { kind: ProxyPolicy, metadata: { name: p${index} }, spec: {} }\n`,
  ).join('');
}

function manyPolicies(count: number): string {
  return goodFile(
    [NEEDS, 'vary: { permute: config }'],
    [
      '      - kind: ProxyPolicy\n        metadata: { name: p }\n        spec: { targetRefs: [{ at: route }], traffic: { timeouts: { request: 9s } } }\n',
      policies(count),
    ],
  );
}

describe('ids', () => {
  test('a case that varies nothing is one case', () => {
    expect(ids(goodFile())).toEqual(['x.basics.one']);
  });

  test('rows, matrix, orders and windows multiply', () => {
    const vary =
      'vary: { rows: [{ name: a }, { name: b }], matrix: { m: [1, two] }, permute: config }\n    vantage: [op, trace]';
    const all = ids(goodFile([NEEDS, vary], TWO_POLICIES));
    expect(all).toHaveLength(2 * 2 * 2 * 2);
    expect(new Set(all).size).toBe(16);
    expect(all.slice(0, 4)).toEqual([
      'x.basics.one[a,1,order-1]@op',
      'x.basics.one[a,1,order-1]@trace',
      'x.basics.one[a,1,order-2]@op',
      'x.basics.one[a,1,order-2]@trace',
    ]);
  });

  test('all orders up to four items, rotations above', () => {
    expect(ids(manyPolicies(1))).toHaveLength(1);
    expect(ids(manyPolicies(3))).toHaveLength(6);
    expect(ids(manyPolicies(4))).toHaveLength(24);
    expect(ids(manyPolicies(5))).toHaveLength(5);
    const orders = parsed(manyPolicies(3)).cases.map(({ config }) =>
      config.map(({ metadata }) => JSON.stringify(metadata)).join(),
    );
    expect(new Set(orders).size).toBe(6);
  });

  test('matrix values that read alike are told apart', () => {
    expect(ids(goodFile([NEEDS, 'vary: { matrix: { m: ["/", "?", "a b", "A-B"] } }']))).toEqual([
      'x.basics.one[v-1]',
      'x.basics.one[v-2]',
      'x.basics.one[a-b-3]',
      'x.basics.one[a-b-4]',
    ]);
  });
});

test('namespace and host follow from the id', () => {
  const given = caseOf(goodFile());
  expect(given.namespace).toMatch(/^c-[0-9a-f]{8}$/);
  expect(given.host).toBe(`${given.namespace}.test`);
  expect(caseOf(goodFile()).namespace).toBe(given.namespace);
  expect(caseOf(goodFile(['x.basics.one', 'x.basics.two'])).namespace).not.toBe(given.namespace);
});

test('a row fills numbers as numbers, leaves null members out of inputs and keeps null in expectations', () => {
  const vary =
    'vary: { rows: [{ name: a, n: 201, nothing: null, host: "x.${case.host}", to: "${peers.up.authority}" }] }';
  const given = caseOf(
    goodFile(
      [NEEDS, vary],
      ['reply: { status: 200 }', 'reply: { status: "${row.n}", body: "${row.nothing}" }'],
      ['http: { GET: / }', 'http: { GET: "/${row.to}", host: "${row.host}", body: "${row.nothing}" }'],
      ['expect: { status: 200 }', 'expect: { status: "${row.n}", body: "${row.nothing}" }'],
    ),
  );
  expect(given.peers['up']).toEqual({ kind: 'http', reply: { status: 201 } });
  expect(given.steps[0]).toMatchObject({
    kind: 'http',
    input: { GET: '/${peers.up.authority}', host: `x.${given.host}` },
  });
  expect(given.steps[0]?.input).not.toHaveProperty('body');
  expect(given.steps[0]?.expect).toEqual({ status: 201, body: null });
});

test('a row has needs of its own beside those of its case', () => {
  const vary = 'vary: { rows: [{ name: a }, { name: b, needs: [core.filters] }] }';
  const [plain, more] = parsed(goodFile([NEEDS, vary])).cases;
  expect(new Set(more?.needs)).toEqual(new Set([...(plain?.needs ?? []), 'core.filters']));
});

test.each([
  ['path: { prefix: /a }', []],
  ['method: POST', ['core.match']],
  ['headers: { x-a: v }', ['core.match']],
  ['query: { a: v }', ['core.match']],
  ['filters: [{ type: URLRewrite }]', ['core.filters']],
  ['filters: [{ type: URLRewrite }, { type: RequestMirror }]', ['core.filters', 'core.filters.mirror']],
  ['timeouts: { request: 1s }', ['core.timeouts']],
  ['to: [a, b]', ['core.weights']],
])('a rule with %s needs %j', (member, needs) => {
  const topology = `topology: { routes: [{ name: r, rules: [{ ${member} }] }] }`;
  const given = caseOf(goodFile(['topology: { to: up }', topology]));
  // What the configuration of the file sets comes after these.
  expect(given.needs).toEqual(['core.http', ...needs, 'traffic.timeouts']);
});

describe('what follows from the clauses, the steps and the window', () => {
  test.each([
    ['X-001', 'must'],
    ['X-002', 'must'],
    ['X-003', 'should'],
    ['X-004', 'observe'],
  ])('%s gives level %s', (id, level) => {
    expect(caseOf(goodFile(['id: X-001', `id: ${id}`])).level).toBe(level);
  });

  test('the weakest clause decides', () => {
    expect(
      caseOf(goodFile(['{ id: X-001, as: positive }', '{ id: X-001, as: positive }, { id: X-004, as: positive }']))
        .level,
    ).toBe('observe');
  });

  test('what needs a feature stands on the case that shows it, that one on the ground and what it states, and the ground on nothing', () => {
    const needs = 'needs: [traffic.delay, traffic.timeouts]';
    expect(caseOf(goodFile([NEEDS, `${needs}\n    requires: [x.basics.two]`])).requires).toEqual([
      'x.basics.two',
      'traffic.delay.expression[integer-constant]',
      'traffic.timeouts.no-response',
      'resources.proxy-policy.traffic-target[route]',
    ]);
    const shown = goodFile([NEEDS, needs], ['id: x.basics.one', 'id: traffic.timeouts.no-response']);
    expect(caseOf(shown).requires).toEqual(['resources.proxy-policy.traffic-target[route]']);
    const stated = goodFile(
      [NEEDS, `${needs}\n    requires: [x.basics.two]`],
      ['id: x.basics.one', 'id: traffic.timeouts.no-response'],
    );
    expect(caseOf(stated).requires).toEqual(['x.basics.two', 'resources.proxy-policy.traffic-target[route]']);
    const ground = goodFile([NEEDS, needs], ['id: x.basics.one', 'id: mcp.targets.one']);
    expect(caseOf(ground).requires).toEqual([]);
  });

  test('a window sets layer, isolation and needs', () => {
    const steps =
      '      - id: merged\n        op: { effective-policy: { phase: route } }\n        expect: { result: {} }';
    const file = goodFile(
      [NEEDS, 'vantage: [op, trace]'],
      ['      - id: call\n        http: { GET: / }\n        expect: { status: 200 }', steps],
      ['    peers:\n      up: { kind: http, reply: { status: 200 } }\n    topology: { to: up }\n', ''],
      ['    expect:\n      received: { up: [{ GET: / }] }\n', ''],
    );
    const [op, trace] = [caseOf(file, 0), caseOf(file, 1)];
    // Who tells what a configuration comes to need not do what it says.
    expect(op).toMatchObject({ layer: 'op', isolation: 'host', vantage: 'op', needs: ['op.effective-policy'] });
    expect(trace).toMatchObject({
      layer: 'trace',
      isolation: 'exclusive',
      vantage: 'trace',
      needs: ['trace.watch', 'trace.policyShape', 'trace.phases', 'traffic.timeouts'],
    });
    // The trace window sends a request, so a backend is there although the case names none.
    expect(trace.peers).toEqual({ up: { kind: 'http' } });
    expect(trace.topology.routes[0]?.rules[0]?.to).toEqual([{ kind: 'peer', name: 'up' }]);
  });

  test('a trace step makes a trace case that runs alone', () => {
    expect(
      caseOf(goodFile(['      - id: call\n', '      - { id: arm, trace: { watch: t } }\n      - id: call\n'])),
    ).toMatchObject({
      layer: 'trace',
      isolation: 'exclusive',
      needs: ['core.http', 'trace.watch', 'traffic.timeouts'],
    });
  });
});

test('position leads to the line and column of a path, as far as the path goes', () => {
  const given = caseOf(goodFile());
  expect(given.position(['cases', 0, 'steps', 0, 'expect', 'status'])).toEqual({
    line: 17,
    column: 27,
    lineText: '        expect: { status: 200 }',
  });
  expect(given.position(['cases', 0, 'steps', 0, 'expect', 'body', 'x'])).toMatchObject({ line: 17, column: 17 });
  expect(given.position([])).toMatchObject({ line: 1, column: 1 });
});
