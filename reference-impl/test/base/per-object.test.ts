import { expect, test, vi } from 'vitest';
import { perKey } from '../../base/per-key.ts';
import { perLatestList, perList, sharedList } from '../../base/per-list.ts';
import { perObject } from '../../base/per-object.ts';

const [a, b] = [{ name: 'a' }, { name: 'b' }];

test('perObject computes once per object, also what is undefined', () => {
  const compute = vi.fn((key: object) => (key === a ? undefined : {}));
  const result = perObject(compute);
  expect(result(a)).toBe(result(a));
  expect(result(b)).toBe(result(b));
  expect(result({ ...b })).not.toBe(result(b));
  expect(compute).toHaveBeenCalledTimes(3);
});

test('a failure is not remembered', () => {
  const result = perObject(vi.fn(() => 1).mockThrowOnce(new Error('not yet')));
  expect(() => result(a)).toThrow('not yet');
  expect(result(a)).toBe(1);
});

test('several arguments are one inside the other', () => {
  const compute = vi.fn((object: object, key: string | undefined) => ({ object, key }));
  const result = perObject((object: object) => perKey((key: string | undefined) => compute(object, key)));
  expect(result(a)('x')).toBe(result(a)('x'));
  expect(result(a)(undefined)).toBe(result(a)(undefined));
  expect(result(b)('x')).toEqual({ object: b, key: 'x' });
  expect(compute).toHaveBeenCalledTimes(3);
});

test('perList goes by the members and their order, whatever the list', () => {
  const compute = vi.fn((items: readonly object[]) => [...items]);
  const result = perList(compute);
  expect(result([a, b])).toBe(result([a, b]));
  expect(result([b, a])).toEqual([b, a]);
  expect(result([a])).toEqual([a]);
  expect(result([])).toBe(result([]));
  expect(compute).toHaveBeenCalledTimes(4);
});

test('perLatestList remembers the latest list only', () => {
  const compute = vi.fn((items: readonly object[]) => items.length);
  const result = perLatestList(compute);
  expect([result([]), result([a, b]), result([a, b]), result([b, a]), result([b]), result([a, b])]).toEqual([
    0, 2, 2, 2, 1, 2,
  ]);
  expect(compute).toHaveBeenCalledTimes(5);
});

test('sharedList gives one list for the same members', () => {
  const shared = sharedList<object>();
  expect(shared([a, b])).toBe(shared([a, b]));
});
