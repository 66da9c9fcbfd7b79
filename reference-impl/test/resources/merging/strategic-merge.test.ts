import { expect, test } from 'vitest';
import { type JsonObject, jsonObjectOf } from '../../../base/json.ts';
import { MERGE_KEYS } from '../../../resources/merging/merge-keys.ts';
import { type Nulls, strategicMerge } from '../../../resources/merging/strategic-merge.ts';

function merged(original: JsonObject, patch: JsonObject, nulls: Nulls = 'ignore'): unknown {
  const problems: string[] = [];
  const outcome = strategicMerge(podSpec(original), podSpec(patch), MERGE_KEYS['Deployment'] ?? {}, {
    nulls,
    dialect: 'overlay',
    problem: (path, message) => problems.push(`${path}: ${message}`),
  });
  return problems.length > 0 ? problems : Reflect.get(Object(outcome?.['spec']), 'template');
}

function podSpec(spec: JsonObject): JsonObject {
  return { spec: { template: spec } };
}

const pod = (spec: JsonObject): JsonObject => ({ spec });

test.each<[string, JsonObject, JsonObject, JsonObject]>([
  ['a scalar replaces what was there, of whatever type', { a: 1, b: { c: 2 } }, { b: 3 }, { a: 1, b: 3 }],
  ['a map replaces a scalar', { a: 1 }, { a: { b: 2 } }, { a: { b: 2 } }],
  ['a list without a key is replaced', { args: ['a', 'b'] }, { args: ['c'] }, { args: ['c'] }],
  ['$patch: delete removes a map', { a: { b: 1 }, c: 2 }, { a: { $patch: 'delete' } }, { c: 2 }],
  ['$patch: delete of what is not there adds nothing', { c: 2 }, { a: { $patch: 'delete' } }, { c: 2 }],
  ['directives within something new are followed, not copied', {}, { a: { $patch: 'replace', b: 1 } }, { a: { b: 1 } }],
  [
    '$patch: replace works in a list without a key',
    { l: [{ a: 1 }] },
    { l: [{ $patch: 'replace' }, { b: 2 }] },
    { l: [{ b: 2 }] },
  ],
  ['primitives are deleted by name', { l: ['a', 'b'] }, { '$deleteFromPrimitiveList/l': ['a'] }, { l: ['b'] }],
  ['a list may be ordered', { l: ['a', 'b', 'c'] }, { '$setElementOrder/l': ['c', 'b'] }, { l: ['a', 'c', 'b'] }],
  ['null says nothing', { a: 1, b: { c: 1 } }, { a: null, b: { c: null, d: null } }, { a: 1, b: { c: 1 } }],
])('%s', (_, original, patch, expected) => {
  expect(merged(original, patch)).toEqual(expected);
});

test('null removes where the parameters were applied by the server', () => {
  expect(merged({ a: 1, b: { c: 1, d: 2 } }, { a: null, b: { c: null }, e: null }, 'remove')).toEqual({ b: { d: 2 } });
});

test('items merge by key, in depth', () => {
  const original = pod({
    containers: [
      {
        name: 'proxy',
        image: 'i',
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
      },
    ],
  });
  const patch = pod({
    containers: [
      {
        name: 'proxy',
        env: [
          { name: 'B', $patch: 'delete' },
          { name: 'A', value: '3' },
        ],
      },
    ],
  });
  expect(merged(original, patch)).toEqual(
    pod({ containers: [{ name: 'proxy', image: 'i', env: [{ name: 'A', value: '3' }] }] }),
  );
});

test('an item that comes twice is one item, and a port is a port however it is written', () => {
  const patch = pod({
    containers: [
      { name: 'a', image: 'x', ports: [{ containerPort: 80 }, { containerPort: '80', name: 'p' }] },
      { name: 'a', tty: true },
    ],
  });
  expect(merged(pod({}), patch)).toEqual(
    pod({ containers: [{ name: 'a', image: 'x', tty: true, ports: [{ containerPort: '80', name: 'p' }] }] }),
  );
});

test('$patch: replace keeps only what stands beside it, $patch: delete then finds nothing', () => {
  const original = pod({ volumes: [{ name: 'a' }, { name: 'b' }] });
  const patch = pod({ volumes: [{ name: 'c' }, { $patch: 'replace' }, { name: 'a', $patch: 'delete' }] });
  expect(merged(original, patch)).toEqual(pod({ volumes: [{ name: 'c' }] }));
});

test('tolerations merge by key, and those without one are one', () => {
  const original = pod({ tolerations: [{ key: 'a', effect: 'NoSchedule' }, { operator: 'Exists' }] });
  const patch = pod({ tolerations: [{ key: 'a', value: 'v' }, { effect: 'NoExecute' }] });
  expect(merged(original, patch)).toEqual(
    pod({
      tolerations: [
        { key: 'a', effect: 'NoSchedule', value: 'v' },
        { operator: 'Exists', effect: 'NoExecute' },
      ],
    }),
  );
});

test.each<[JsonObject, string]>([
  [pod({ containers: [{ image: 'x' }] }), 'needs name'],
  [pod({ containers: ['x'] }), 'is an object'],
  [pod({ containers: [{ name: 'x', $patch: 'merge' }] }), 'not "merge"'],
  [{ a: { $patch: 1 } }, 'not 1'],
  [{ '$retainKeys/a': ['b'] }, 'is no directive'],
  [{ '$setElementOrder/a': 'b' }, 'is no directive'],
  [{ a: [{ name: 'x', $patch: 'delete' }] }, 'no key'],
])('%j is refused with its place', (patch, message) => {
  expect(merged(pod({ containers: [{ name: 'x' }] }), patch)).toEqual([expect.stringContaining(message)]);
});

test('neither the original nor the patch is changed', () => {
  const original = pod({ containers: [{ name: 'a', env: [{ name: 'A', value: '1' }] }] });
  const patch = pod({ containers: [{ name: 'a', env: [{ $patch: 'replace' }, { name: 'B' }] }], x: null });
  const before = JSON.stringify([original, patch]);
  merged(original, patch, 'remove');
  expect(JSON.stringify([original, patch])).toBe(before);
});

test('a key named like a member of every object is only a key', () => {
  const patch = jsonObjectOf(Object(JSON.parse('{"a": {"__proto__": {"polluted": true}, "constructor": 1}}')));
  const outcome = merged({ a: { b: 1 } }, patch);
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
  expect(outcome).toMatchObject({ a: { b: 1, constructor: 1 } });
});
