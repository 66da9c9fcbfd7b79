import { describe, expect, test } from 'vitest';
import type { ConcreteCase } from '../../case/concrete-case.ts';
import { GROUPS } from '../../case/groups.ts';
import { EVERYTHING, selectCases } from '../../case/select.ts';
import type { Selection } from '../../case/select.ts';
import { loadSuite } from '../../load-suite.ts';
import { caseOf, goodFile } from './support.ts';

const FOLDER = 'conformance/cases';
const given = caseOf(goodFile());

function made(id: string, file: string, over: Partial<ConcreteCase> = {}): ConcreteCase {
  return { ...given, id, baseId: id.replace(/\[.*/, ''), file: `${FOLDER}/${file}`, ...over };
}

const cases = [
  made('a.one[x]', 'a/one.yaml', { clauses: [{ id: 'MERGE-001', as: 'positive' }] }),
  made('a.one[y]', 'a/one.yaml', { level: 'observe' }),
  made('a.two', 'a/two.yaml'),
  made('ab.three', 'ab/three.yaml', { clauses: [{ id: 'TRACE-001', as: 'negative' }] }),
];

function select(over: Partial<Selection>): readonly string[] {
  const selection = { patterns: [], clauses: [], areas: [], levels: [], ...over };
  return selectCases(cases, selection, FOLDER).cases.map(({ id }) => id);
}

describe('a pattern is', () => {
  test.each([
    ['a folder', 'a', ['a.one[x]', 'a.one[y]', 'a.two']],
    ['a folder with its path', 'conformance/cases/a/', ['a.one[x]', 'a.one[y]', 'a.two']],
    ['a file', './conformance/cases/a/two.yaml', ['a.two']],
    ['a file without its ending', 'a/two', ['a.two']],
    ['an id', 'a.one[y]', ['a.one[y]']],
    ['an id without its row', 'a.one', ['a.one[x]', 'a.one[y]']],
    ['a glob over ids', '*.t*', ['a.two', 'ab.three']],
    ['an id in capitals', 'A.ONE[Y]', ['a.one[y]']],
    ['a suite as reports print it', given.suite, ['a.one[x]', 'a.one[y]', 'a.two', 'ab.three']],
  ])('%s', (_, pattern, ids) => {
    expect(select({ patterns: [pattern] })).toEqual(ids);
  });

  test('reported when it matches nothing', () => {
    const selection = { patterns: ['a', 'nothing'], clauses: [], areas: [], levels: [] };
    expect(selectCases(cases, selection, FOLDER).unmatched).toEqual(['nothing']);
  });
});

test('the name of a group asks for all its suites, each of which the package has', { timeout: 60_000 }, async () => {
  const members = GROUPS.get('auth') ?? [];
  const group = await loadSuite({ selection: { ...EVERYTHING, patterns: ['Auth'] } });
  const each = await loadSuite({ selection: { ...EVERYTHING, patterns: members } });
  expect([group.unmatched, each.unmatched]).toEqual([[], []]);
  expect(group.cases.map(({ id }) => id)).toEqual(each.cases.map(({ id }) => id));
  expect(members.filter((name) => !group.cases.some(({ suite }) => suite === name))).toEqual([]);
});

test('clause, area and level narrow further', () => {
  expect(select({ clauses: ['MERGE-001'] })).toEqual(['a.one[x]']);
  expect(select({ areas: ['TRACE'] })).toEqual(['ab.three']);
  expect(select({ levels: ['observe'] })).toEqual(['a.one[y]']);
  expect(select({ patterns: ['a'], levels: ['must'], areas: ['X'] })).toEqual(['a.two']);
});

test('layer and feature narrow further, and skip takes away', () => {
  expect(select({ layers: ['cluster'] })).toEqual([]);
  expect(select({ layers: [given.layer] })).toHaveLength(cases.length);
  expect(select({ features: ['no.such'] })).toEqual([]);
  expect(select({ patterns: ['a'], skip: ['a.one', '*three'] })).toEqual(['a.two']);
});

test('a shard is a part of what is chosen, and what all shards have together is told', () => {
  const selection = { patterns: ['a'], clauses: [], areas: [], levels: [] };
  const shards = [1, 2].map((index) => selectCases(cases, { ...selection, shard: { index, count: 2 } }, FOLDER));
  const ids = ['a.one[x]', 'a.one[y]', 'a.two'];
  expect(shards.flatMap((shard) => shard.cases.map(({ id }) => id)).toSorted()).toEqual(ids);
  for (const { undivided } of shards) expect(undivided.map(({ id }) => id)).toEqual(ids);
});
