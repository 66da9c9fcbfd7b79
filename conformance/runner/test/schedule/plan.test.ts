import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ConcreteCase } from '../../case/concrete-case.ts';
import { planRun, type Plan } from '../../schedule/plan.ts';
import { concreteCase } from '../support/concrete-case.ts';

const isolations = fc.constantFrom<ConcreteCase['isolation']>('host', 'instance', 'exclusive');
const cases = fc
  .array(isolations, { maxLength: 200 })
  .map((list) => list.map((isolation, index) => concreteCase(`c.${index}`, { isolation })));
const seeds = fc.nat();

function ids({ shared, exclusive, instance }: Plan): readonly string[] {
  return [...shared.flat(), ...exclusive.flat(), ...instance].map(({ id }) => id);
}

test('every case is in the plan exactly once and in the group of its isolation', () => {
  fc.assert(
    fc.property(cases, seeds, (list, seed) => {
      const plan = planRun(list, seed);
      expect(ids(plan).toSorted()).toEqual(list.map(({ id }) => id).toSorted());
      expect(plan.shared.flat().every(({ isolation }) => isolation === 'host')).toBe(true);
      expect(plan.exclusive.flat().every(({ isolation }) => isolation === 'exclusive')).toBe(true);
      expect(plan.instance.every(({ isolation }) => isolation === 'instance')).toBe(true);
    }),
  );
});

test('the seed alone decides the order', () => {
  fc.assert(
    fc.property(cases, seeds, (list, seed) => {
      expect(ids(planRun(list, seed))).toEqual(ids(planRun(list, seed)));
    }),
  );
  const many = Array.from({ length: 50 }, (_, index) => concreteCase(`c.${index}`));
  expect(ids(planRun(many, 1))).not.toEqual(ids(planRun(many, 2)));
});

test('the first batch is small and the others are large', () => {
  const many = Array.from({ length: 150 }, (_, index) => concreteCase(`c.${index}`));
  expect(planRun(many, 1).shared.map((batch) => batch.length)).toEqual([8, 64, 64, 14]);
});

test('a manifest may ask for smaller batches', () => {
  const many = Array.from({ length: 20 }, (_, index) => concreteCase(`c.${index}`));
  expect(planRun(many, 1, { batch: 12 }).shared.map((batch) => batch.length)).toEqual([8, 12]);
  expect(planRun(many, 1, { batch: 6 }).shared.map((batch) => batch.length)).toEqual([6, 6, 6, 2]);
  expect(planRun([], 1, { batch: 6 }).shared).toEqual([]);
});

test('a case in the trace window runs alone whatever its isolation says', () => {
  const plan = planRun([concreteCase('c.1', { vantage: 'trace' })], 1);
  expect(plan.exclusive.flat()).toHaveLength(1);
});

test('cases that are known to be slow come after the first batch, the slowest first, among the others of the first half', () => {
  const many = Array.from({ length: 200 }, (_, index) => concreteCase(`c.${index}`));
  const past = new Map([
    ['c.3', 900],
    ['c.150', 6000],
    ['c.90', 2000],
    ['gone', 9000],
  ]);
  const order = ids(planRun(many, 5, { past }));
  const places = ['c.150', 'c.90', 'c.3'].map((id) => order.indexOf(id));
  expect(places).toEqual([8, 33, 58]);
  const plain = ids(planRun(many, 5)).filter((id) => !past.has(id));
  expect(order.filter((id) => !past.has(id))).toEqual(plain);
});

test('also when nearly all are slow every case is there once', () => {
  const few = Array.from({ length: 12 }, (_, index) => concreteCase(`c.${index}`));
  const past = new Map(few.slice(1).map(({ id }) => [id, 1000]));
  expect(ids(planRun(few, 1, { past })).toSorted()).toEqual(few.map(({ id }) => id).toSorted());
});

test('cases that read metrics come right after the first batch: every other case adds to what they read', () => {
  const many = Array.from({ length: 100 }, (_, index) =>
    concreteCase(
      `c.${index}`,
      index % 10 === 0 ? { steps: [{ id: 's', kind: 'metrics', input: {}, at: ['steps', 0] }] } : {},
    ),
  );
  const slow = new Map([['c.3', 900]]);
  const order = ids(planRun(many, 1, { past: slow }));
  const reading = order.flatMap((id, at) => (id.endsWith('0') ? [at] : []));
  expect(reading).toEqual([8, 9, 10, 11, 12, 13, 14, 15, 16, 17]);
  expect(order[18]).toBe('c.3');
});
