import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { casesOfShard, divisionOf, parseShard } from '../../case/shard.ts';

type Isolation = 'host' | 'exclusive' | 'instance';

function made(id: string, isolation: Isolation = 'host'): { readonly id: string; readonly isolation: Isolation } {
  return { id, isolation };
}

const cases = Array.from({ length: 60 }, (_, number) => made(`case.${number}`));

function shards(
  all: readonly { readonly id: string; readonly isolation: Isolation }[],
  count: number,
  past?: ReadonlyMap<string, number>,
): readonly (readonly string[])[] {
  return Array.from({ length: count }, (_, index) =>
    casesOfShard(all, { index: index + 1, count, past }).map(({ id }) => id),
  );
}

describe('the shards of a run', () => {
  test('are its parts, whatever is known of the past', () => {
    const ids = cases.map(({ id }) => id);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 70 }),
        fc.dictionary(fc.constantFrom(...ids, 'gone'), fc.double({ min: 0, max: 5000, noNaN: true })),
        (count, past) => {
          const dealt = shards(cases, count, new Map(Object.entries(past)));
          expect(dealt.flat().toSorted()).toEqual(ids.toSorted());
        },
      ),
    );
  });

  test('stay as they are when a case is new, but for the new one', () => {
    const past = new Map(cases.slice(0, 40).map(({ id }, index) => [id, index * 100]));
    for (const known of [undefined, past]) {
      const before = shards(cases, 3, known);
      const after = shards([...cases, made('new.case')], 3, known);
      expect(after.map((ids) => ids.filter((id) => id !== 'new.case'))).toEqual(before);
    }
  });

  test('take about as long as each other by what cases took before', () => {
    const past = new Map(cases.map(({ id }, index) => [id, index === 7 ? 3000 : 100]));
    const loads = shards(cases, 3, past).map((ids) => ids.reduce((sum, id) => sum + (past.get(id) ?? 0), 0));
    expect(loads.toSorted((one, other) => one - other)).toEqual([2900, 3000, 3000]);
  });

  test('have of cases that run alone as much as each other, too', () => {
    const mixed = [...cases.slice(0, 20), ...cases.slice(20, 40).map(({ id }) => made(id, 'exclusive'))];
    const past = new Map(mixed.map(({ id }) => [id, 200]));
    const alone = shards(mixed, 4, past).map((ids) =>
      mixed.filter((one) => one.isolation === 'exclusive' && ids.includes(one.id)),
    );
    expect(alone.map((ones) => ones.length)).toEqual([5, 5, 5, 5]);
  });

  test('have a division in common, which other cases, another number and other durations change', () => {
    const first = divisionOf(cases, { index: 1, count: 3 });
    expect(divisionOf(cases.toReversed(), { index: 2, count: 3 })).toBe(first);
    const others = [
      divisionOf(cases.slice(1), { index: 1, count: 3 }),
      divisionOf(cases, { index: 1, count: 4 }),
      divisionOf(cases, { index: 1, count: 3, past: new Map([['case.1', 5]]) }),
    ];
    expect(new Set([first, ...others]).size).toBe(4);
    expect(divisionOf(cases, { index: 1, count: 3, past: new Map([['gone', 5]]) })).toBe(first);
  });
});

test.each([
  ['1/3', { index: 1, count: 3 }],
  ['3/3', { index: 3, count: 3 }],
  ['0/3', undefined],
  ['4/3', undefined],
  ['x', undefined],
])('shard %s', (text, shard) => {
  expect(parseShard(text)).toEqual(shard);
});
