import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { EVERYTHING } from '../../../../conformance/runner/case/select.ts';
import type { ConcreteCase } from '../../../../conformance/runner/case/concrete-case.ts';
import { loadSuite } from '../../../../conformance/runner/load-suite.ts';
import { packageRoot } from '../../../../conformance/runner/values/package-root.ts';
import type { Followed } from '../../mutants/followed.ts';
import { readHints } from '../../mutants/hints.ts';
import { killersAmong, type KillersKnowledge } from '../../mutants/killers.ts';
import type { Mutant } from '../../mutants/mutant.ts';
import { nounsOf, spread } from '../../mutants/spread.ts';

const ROW = 'reference-impl/admission/rules/row.ts';

/** Everything passes it, as most of admission is passed. */
const followed: Followed = {
  of: () => ({
    green: true,
    at: () => 1,
    near: () => 0,
    inFile: () => 1,
    inFolder: () => 1,
    total: 100,
    passedIn: () => ['0 0'],
  }),
  keep: () => {},
  write: () => {},
};

describe('the cases that are tried first', async () => {
  const patterns = ['resources.proxy-policy.*', 'resources.proxy-backend.*', 'traffic.delay.*'];
  const { cases } = await loadSuite({ selection: { ...EVERYTHING, patterns } });
  const nothing = { noticing: () => new Map<string, number>(), clauses: () => new Set<string>() };

  function first(mutant: Partial<Mutant>, known: Partial<KillersKnowledge> = {}): readonly ConcreteCase[] {
    const all: KillersKnowledge = { followed, atStart: new Map(), hints: nothing, isSlow: () => false, ...known };
    return killersAmong(cases, all).of({ ...MUTANT, ...mutant });
  }

  test('are all that come by it, each once', () => {
    const chosen = first({});
    expect(new Set(chosen).size).toBe(chosen.length);
    expect(chosen.length).toBe(cases.length);
  });

  test('have one that kills a defect near it, one that cites the clause there, and one that has its words', () => {
    const [near, cited] = [cases.at(-1), cases.at(-2)] as [ConcreteCase, ConcreteCase];
    const noticing = (): ReadonlyMap<string, number> => new Map([[near.id, 1]]);
    expect(first({}, { hints: { ...nothing, noticing } }).slice(0, 4)).toContain(near);
    const clauses = (): ReadonlySet<string> => new Set(cited.clauses.map(({ id }) => id));
    const citing = first({}, { hints: { ...nothing, clauses } }).slice(0, 4);
    expect(citing.some((one) => one.clauses.some(({ id }) => clauses().has(id)))).toBe(true);
    expect(
      first({ original: "'delay'" })
        .slice(0, 4)
        .some(({ suite }) => suite === 'traffic.delay'),
    ).toBe(true);
  });

  test('are others once one has killed a mutant on a line beside it', () => {
    const killer = cases.at(-1) as ConcreteCase;
    const killers = killersAmong(cases, { followed, atStart: new Map(), hints: nothing, isSlow: () => false });
    expect(killers.of(MUTANT)[0]).not.toBe(killer);
    killers.learn({ ...MUTANT, line: MUTANT.line + 1 }, killer.id);
    expect(killers.of(MUTANT)[0]).toBe(killer);
  });

  test('come by the folder of a table, which is read while the reference loads, and by the file of anything else', () => {
    const early = { atStart: new Map([[MUTANT.id, 1]]) };
    const passing = (inFile: (one: ConcreteCase) => boolean): Followed => ({
      ...followed,
      of: (one) => ({
        green: true,
        at: () => 0,
        near: () => 0,
        inFile: () => (inFile(one) ? 1 : 0),
        inFolder: (folder) => (folder === path.dirname(ROW) && one !== cases[0] ? 1 : 0),
        total: 9,
        passedIn: () => [],
      }),
    });
    const some = new Set(cases.slice(0, 3));
    expect(first({}, { ...early, followed: passing((one) => some.has(one)) })).toHaveLength(cases.length - 1);
    const many = new Set(cases.slice(0, 50));
    expect(first({}, { ...early, followed: passing((one) => many.has(one)) })).toHaveLength(50);
  });

  test('have those that come by what few others come by in its folder', () => {
    const rare = cases.at(-1) as ConcreteCase;
    const passedIn = (one: ConcreteCase): readonly string[] => (one === rare ? ['0 0', '0 1'] : ['0 0']);
    const of: Followed['of'] = (one) => {
      const hits = followed.of(one);
      return hits && { ...hits, passedIn: () => passedIn(one) };
    };
    expect(first({}, { followed: { ...followed, of } }).slice(0, 4)).toContain(rare);
  });

  test('are not those that take long', () => {
    const [some] = first({});
    expect(first({}, { isSlow: (one) => one === some }).at(-1)).toBe(some);
  });

  test('show every field and kind before any comes again', () => {
    const some = cases[0] as ConcreteCase;
    const [one, another, alike] = [withKind(some, 'Gateway'), withKind(some, 'HTTPRoute'), withKind(some, 'HTTPRoute')];
    const order = spread([one, another, alike], nounsOf).slice(0, 2);
    expect(order.some(({ config }) => config[0]?.['kind'] === 'Gateway')).toBe(true);
    expect(order.some(({ config }) => config[0]?.['kind'] === 'HTTPRoute')).toBe(true);
    expect(spread([alike, another, one], nounsOf)).toHaveLength(3);
  });

  test('are found by the clause at the head of a row and by defects of the gallery in the file', async () => {
    const hints = await readHints(packageRoot(), cases);
    const rules = 'reference-impl/admission/rules/proxy-backend.ts';
    expect([...hints.clauses({ file: rules, line: 10, lastLine: 10 })]).toEqual(['ADMIT-015']);
    const noticing = hints.noticing({ file: rules, line: 10 });
    expect([...noticing.keys()].some((id) => id.startsWith('resources.proxy-backend.'))).toBe(true);
    expect(Math.min(...noticing.values())).toBeLessThan(10);
  });
});

function withKind(one: ConcreteCase, kind: string): ConcreteCase {
  return { ...one, config: [{ kind }] };
}

const MUTANT: Mutant = {
  id: '1',
  file: ROW,
  mutator: 'StringLiteral',
  line: 20,
  lastLine: 20,
  within: 'row',
  original: "''",
  replacement: '"Stryker was here!"',
};
