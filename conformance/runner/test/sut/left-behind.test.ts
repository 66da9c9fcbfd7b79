import { expect, test } from 'vitest';
import { leftBehind, over } from '../../sut/kubernetes/left-behind.ts';

function object(spec: object, metadata: object = {}): Readonly<Record<string, unknown>> {
  return { apiVersion: 'a/v1', kind: 'Route', metadata: { name: 'r', ...metadata }, spec };
}

const ONE = { name: 'one', paths: ['/a'] };
const TWO = { name: 'two', paths: ['/b'] };

test.each([
  ['a field that is still there', { limit: 1, to: 'a' }, { to: 'a' }, { to: 'a', limit: 1 }, { limit: null }],
  ['a field that has gone', { limit: 1, to: 'a' }, { to: 'a' }, { to: 'a' }, undefined],
  ['a field that others have made', { to: 'a' }, { to: 'b' }, { to: 'b', limit: 1 }, undefined],
  [
    'a part of a field',
    { times: { a: 1, b: 2 } },
    { times: { a: 1 } },
    { times: { a: 1, b: 2 } },
    { times: { b: null } },
  ],
  ['a field with parts, as a whole', { times: { a: 1 } }, {}, { times: { a: 1, c: 3 } }, { times: null }],
  ['a member of a list', { rules: [ONE, TWO] }, { rules: [TWO] }, { rules: [ONE, TWO] }, { rules: [TWO] }],
  [
    'a field of a member',
    { rules: [ONE] },
    { rules: [{ name: 'one' }] },
    { rules: [ONE] },
    { rules: [{ name: 'one' }] },
  ],
  ['a list as it was', { rules: [ONE] }, { rules: [ONE] }, { rules: [ONE, TWO] }, undefined],
  ['a list that is as it shall be', { rules: [ONE, TWO] }, { rules: [TWO] }, { rules: [TWO] }, undefined],
])('%s', (_, before, now, live, patch) => {
  const expected = patch === undefined ? undefined : { spec: patch };
  expect(leftBehind(object(before), object(now), object(live))).toEqual(expected);
});

test('labels and annotations of others stay, and nothing else of the metadata counts', () => {
  const before = object({}, { labels: { mine: 'a', kept: 'b' }, generation: 1, annotations: { mine: 'a' } });
  const live = {
    labels: { mine: 'a', kept: 'b', theirs: 'c' },
    annotations: { mine: 'a', theirs: 'c' },
    generation: 2,
  };
  expect(leftBehind(before, object({}, { labels: { kept: 'b' } }), object({}, live))).toEqual({
    metadata: { labels: { mine: null }, annotations: { mine: null } },
  });
});

test('a patch may bring the new object as well', () => {
  const now = object({ to: 'b', times: { a: 1 } });
  const patch = leftBehind(
    object({ to: 'a', times: { b: 2 }, limit: 1 }),
    now,
    object({ to: 'a', times: { b: 2 }, limit: 1 }),
  );
  expect(over({ ...now, status: {} }, patch ?? {})).toEqual({
    metadata: { name: 'r' },
    spec: { to: 'b', times: { a: 1, b: null }, limit: null },
  });
});

test('what is written first, and what a server says nothing of, leaves nothing behind', () => {
  expect(leftBehind({}, object({ to: 'a' }), object({ to: 'a', more: 1 }))).toBeUndefined();
  expect(leftBehind(object({ to: 'a' }), object({}), undefined)).toBeUndefined();
  expect(
    leftBehind({ ...object({}), status: { a: 1 } }, object({}), { ...object({}), status: { a: 1 } }),
  ).toBeUndefined();
});
