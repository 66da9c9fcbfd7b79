import { describe, expect, test } from 'vitest';
import type { ConcreteCase } from '../../case/concrete-case.ts';
import { indexSources } from '../../gallery/declarations.ts';
import type { Defect } from '../../gallery/defects.ts';
import {
  collateralShare,
  runDefects,
  wholeRunShare,
  type DefectOutcome,
  type DefectsRun,
} from '../../gallery/run-defects.ts';
import type { CaseResult } from '../../schedule/case-result.ts';
import { parseManifest } from '../../sut/manifest.ts';
import { caseResult, concreteCase } from '../support/concrete-case.ts';

const SOURCES = indexSources(new Map([['reference-impl/merge.ts', "const merge = 'each value whole';"]]));
const MANIFEST = parseManifest(
  'contract: 1\nimplementation: {name: tiny}\nrun: {kind: process, command: [tiny]}\n',
  'implementation.yaml',
);

function defect(id = 'merge-deep', clauses = ['MERGE-009']): Defect {
  return { id, clauses, text: 'Wrong.', edits: [{ in: 'merge', find: 'whole', replace: 'deep' }], place: 'g.yaml:1' };
}

function killer(id = 'merge.one', more: Partial<ConcreteCase> = {}): ConcreteCase {
  return concreteCase(id, { clauses: [{ id: 'MERGE-009', as: 'negative' }], kills: ['merge-deep'], ...more });
}

function other(id: string, more: Partial<ConcreteCase> = {}): ConcreteCase {
  return concreteCase(id, { clauses: [{ id: 'TRACE-001', as: 'positive' }], ...more });
}

/** What becomes of a case: on the reference as it is, in the first run on the broken one, and when it is asked again. */
type Verdicts = Readonly<
  Record<string, readonly [CaseResult['verdict'], CaseResult['verdict'], CaseResult['verdict']]>
>;

interface Played extends Partial<Omit<DefectsRun, 'cases' | 'runCases'>> {
  readonly verdicts?: Verdicts;
  readonly fault?: CaseResult['fault'];
  readonly failure?: string;
  readonly defects?: readonly Defect[];
}

/** Runs defects without an implementation: the verdicts are written down. Returns what was run where, too. */
async function play(
  cases: readonly ConcreteCase[],
  { verdicts = {}, fault, failure, defects = [defect()], ...more }: Played = {},
): Promise<{ readonly outcomes: readonly DefectOutcome[]; readonly ran: readonly (readonly string[])[] }> {
  const ran: string[][] = [];
  const times = new Map<string, number>();
  const outcomes = await runDefects(defects, {
    manifest: MANIFEST,
    root: '/nowhere',
    sources: SOURCES,
    cases,
    others: 0,
    workers: 1,
    seed: 1,
    stop: new AbortController().signal,
    report: () => undefined,
    runCases: async (chosen, manifest, { stop, report }) => {
      const isBroken = manifest.extraEnv?.['CONFORM_DEFECT'] !== undefined;
      ran.push(chosen.map(({ id }) => id));
      for (const one of chosen) {
        if (stop.aborted) break;
        const time = isBroken ? (times.get(one.id) ?? 0) + 1 : 0;
        if (isBroken) times.set(one.id, time);
        const verdict = verdicts[one.id]?.[time] ?? 'pass';
        report(caseResult(one.id, verdict, { case: one, ...(verdict === 'error' && fault ? { fault } : {}) }));
      }
      return Promise.resolve(isBroken ? failure : undefined);
    },
    ...more,
  });
  return { outcomes, ran };
}

describe('a defect', () => {
  test('is killed by a red case that lists it, and with the first kill it is done', async () => {
    const verdicts: Verdicts = { 'merge.one': ['pass', 'fail', 'fail'], 'merge.two': ['pass', 'fail', 'fail'] };
    const { outcomes, ran } = await play([killer(), killer('merge.two'), other('trace.one')], { verdicts });
    expect(outcomes).toMatchObject([{ killedBy: ['merge.one'], collateral: [], red: 1 }]);
    expect(ran).toEqual([['merge.one', 'merge.two']]);
  });

  test('has every killer named when others run beside them', async () => {
    const verdicts: Verdicts = { 'merge.one': ['pass', 'fail', 'fail'], 'merge.two': ['pass', 'fail', 'fail'] };
    const { outcomes } = await play([killer(), killer('merge.two')], { verdicts, others: Infinity });
    expect(outcomes).toMatchObject([{ killedBy: ['merge.one', 'merge.two'], red: 2 }]);
  });

  test('survives when what lists it stays green', async () => {
    const { outcomes, ran } = await play([killer()]);
    expect(outcomes).toMatchObject([{ killedBy: [], red: 0 }]);
    expect(ran).toEqual([['merge.one'], ['merge.one']]);
  });

  test('that survives beside others may be killed when they are done, and is told of once', async () => {
    const told: DefectOutcome[] = [];
    const { outcomes, ran } = await play([killer(), killer('merge.two', { kills: ['another'] })], {
      defects: [defect(), defect('another')],
      verdicts: { 'merge.one': ['pass', 'pass', 'fail'], 'merge.two': ['pass', 'fail', 'fail'] },
      report: (outcome) => told.push(outcome),
    });
    expect(ran).toEqual([['merge.one'], ['merge.two'], ['merge.one']]);
    expect(outcomes).toMatchObject([{ killedBy: ['merge.one'] }, { killedBy: ['merge.two'] }]);
    expect(told.map(({ defect: { id } }) => id)).toEqual(['another', 'merge-deep']);
  });

  test('is not killed by a failed control, nor by a mistake of the suite', async () => {
    const inconclusive = await play([killer()], {
      verdicts: { 'merge.one': ['pass', 'inconclusive', 'inconclusive'] },
    });
    expect(inconclusive.outcomes).toMatchObject([{ killedBy: [], red: 1 }]);
    const mistake = await play([killer()], { verdicts: { 'merge.one': ['pass', 'error', 'pass'] }, fault: 'harness' });
    expect(mistake.outcomes).toMatchObject([{ killedBy: [], red: 0 }]);
  });

  test('is killed by an error of the implementation', async () => {
    const verdicts: Verdicts = { 'merge.one': ['pass', 'error', 'pass'] };
    const { outcomes } = await play([killer()], { verdicts, fault: 'implementation' });
    expect(outcomes).toMatchObject([{ killedBy: ['merge.one'] }]);
  });

  test.each([
    ['a should', { level: 'should' }],
    ['random draws', { layer: 'property' }],
    ['a case that needs a cluster', { layer: 'cluster' }],
    ['an observation', { level: 'observe' }],
  ] as const)('that only %s lists says nothing, and nothing is started', async (_, more) => {
    const { outcomes, ran } = await play([killer('merge.one', more)]);
    expect(outcomes).toMatchObject([{ killedBy: [], error: 'no must-level case lists it' }]);
    expect(ran).toEqual([]);
  });

  test('says nothing where the broken reference cannot be used', async () => {
    const { outcomes } = await play([killer()], { failure: 'the reference cannot be used: it ended' });
    expect(outcomes).toMatchObject([{ error: 'the reference cannot be used: it ended' }]);
  });

  test('has no kill by a case that is red without it', async () => {
    const verdicts: Verdicts = { 'merge.one': ['fail', 'fail', 'fail'] };
    const { outcomes } = await play([killer(), killer('merge.two')], { verdicts, others: 5 });
    expect(outcomes).toMatchObject([{ killedBy: [], red: 0 }]);
  });
});

describe('collateral', () => {
  const killed: Verdicts = { 'merge.one': ['pass', 'fail', 'fail'] };
  const collateralOf = async (
    cases: readonly ConcreteCase[],
    verdicts: Verdicts,
    more: Played = {},
  ): Promise<DefectOutcome | undefined> =>
    (await play([killer(), ...cases], { verdicts: { ...killed, ...verdicts }, others: Infinity, ...more })).outcomes[0];

  test('is a red case that has nothing to do with the defect', async () => {
    expect(await collateralOf([other('trace.one')], { 'trace.one': ['pass', 'fail', 'fail'] })).toMatchObject({
      collateral: ['trace.one'],
      red: 2,
    });
  });

  test('is none that is green when it is asked again', async () => {
    expect(await collateralOf([other('trace.one')], { 'trace.one': ['pass', 'fail', 'pass'] })).toMatchObject({
      collateral: [],
      red: 1,
    });
  });

  test('is none that cites a clause of the defect', async () => {
    const cites = other('merge.other', { clauses: [{ id: 'MERGE-009', as: 'positive' }] });
    expect(await collateralOf([cites], { 'merge.other': ['pass', 'fail', 'fail'] })).toMatchObject({
      collateral: [],
      red: 2,
    });
  });

  test.each([
    ['cites a clause of the defect', { clauses: [{ id: 'MERGE-009', as: 'positive' }], kills: [] }],
    ['lists the defect', { clauses: [{ id: 'TRACE-002', as: 'positive' }], kills: ['merge-deep'] }],
  ] as const)('is none that stands on a case that %s', async (_, below) => {
    const cases = [other('merge.ground', below), other('trace.one', { requires: ['merge.ground'] })];
    expect(await collateralOf(cases, { 'trace.one': ['pass', 'fail', 'fail'] })).toMatchObject({ collateral: [] });
  });

  test('is none that the report would call blocked: what it stands on is red as well', async () => {
    const cases = [other('trace.ground'), other('trace.one', { requires: ['trace.ground'] })];
    const outcome = await collateralOf(cases, {
      'trace.ground': ['pass', 'fail', 'fail'],
      'trace.one': ['pass', 'fail', 'fail'],
    });
    expect(outcome).toMatchObject({ collateral: ['trace.ground'], red: 2 });
  });

  test('is none that ran beside a crash', async () => {
    const verdicts: Verdicts = { 'trace.one': ['pass', 'error', 'error'] };
    expect(await collateralOf([other('trace.one')], verdicts, { fault: 'implementation' })).toMatchObject({
      collateral: [],
    });
  });

  test('has a share of all that is red, and none where nothing is', () => {
    const outcome = { defect: defect(), killedBy: [], durationMs: 1, listed: 0, others: { run: 9, of: 9 } };
    expect(collateralShare([])).toBe(0);
    expect(
      collateralShare([
        { ...outcome, collateral: ['a'], red: 30 },
        { ...outcome, collateral: [], red: 20 },
      ]),
    ).toBe(0.02);
  });

  test('of a sample stands for the cases that were not drawn', async () => {
    const many = Array.from({ length: 40 }, (_, at) => other(`trace.case-${at}`));
    const red: Verdicts = Object.fromEntries(many.map(({ id }) => [id, ['pass', 'fail', 'fail']]));
    const { outcomes } = await play([killer(), ...many], { verdicts: { ...killed, ...red }, others: 10 });
    expect(outcomes).toMatchObject([{ red: 11, listed: 1, others: { run: 10, of: 40 } }]);
    expect(wholeRunShare(outcomes)).toBe(40 / 41);
    expect(wholeRunShare([])).toBe(0);
  });
});

describe('the cases beside the killers', () => {
  const many = Array.from({ length: 40 }, (_, at) => other(`trace.case-${at}`));
  const drawn = async (id: string, seed: number): Promise<readonly string[]> => {
    const cases = [killer('merge.one', { kills: [id] }), ...many];
    const { ran } = await play(cases, { defects: [defect(id)], others: 10, seed });
    return ran[1] ?? [];
  };

  test('are as many as asked for, the same for a seed and a defect, others for another', async () => {
    const first = await drawn('merge-deep', 1);
    expect(first[0]).toBe('merge.one');
    expect(new Set(first).size).toBe(11);
    expect(await drawn('merge-deep', 1)).toEqual(first);
    expect(await drawn('merge-deep', 2)).not.toEqual(first);
    expect((await drawn('merge-shallow', 1)).slice(1)).not.toEqual(first.slice(1));
  });

  test('first run on the reference as it is, and a reference that cannot be used ends everything', async () => {
    const { ran } = await play([killer(), ...many], { others: 10 });
    expect(ran[0]).toHaveLength(41);
    const broken = runDefects([defect()], {
      manifest: MANIFEST,
      root: '/nowhere',
      sources: SOURCES,
      cases: [killer()],
      others: 1,
      workers: 1,
      seed: 1,
      stop: new AbortController().signal,
      report: () => undefined,
      runCases: async () => Promise.resolve('the reference cannot be used: no such program'),
    });
    await expect(broken).rejects.toThrow('no such program');
  });
});

function passingBy(ids: readonly string[] | undefined, most = 400): Played {
  return { others: 10, passing: { casesOf: () => (ids === undefined ? undefined : new Set(ids)), most } };
}

describe('with what cases come by', () => {
  const many = Array.from({ length: 40 }, (_, at) => other(`trace.case-${at}`));
  const coming = many.slice(3, 9).map(({ id }) => id);
  test('those that list a defect and those that come by it are run, and no others', async () => {
    const { outcomes, ran } = await play([killer(), ...many], passingBy(coming));
    expect(ran).toEqual([
      ['merge.one', ...coming],
      ['merge.one', ...coming],
      ['merge.one', ...coming],
    ]);
    expect(outcomes).toMatchObject([{ others: { run: 6, of: 6 } }]);
  });

  test('of too many so many are drawn, and each stands for others that come by', async () => {
    const { outcomes, ran } = await play([killer(), ...many], passingBy(coming, 3));
    expect(ran[1]).toHaveLength(4);
    expect(coming).toEqual(expect.arrayContaining(ran[1]?.slice(1) ?? []));
    expect(outcomes).toMatchObject([{ others: { run: 3, of: 6 } }]);
  });

  test('a defect that any case may notice has others drawn from all', async () => {
    const { outcomes, ran } = await play([killer(), ...many], passingBy(undefined));
    expect(ran[0]).toHaveLength(41);
    expect(outcomes).toMatchObject([{ others: { run: 10, of: 40 } }]);
  });

  test('a case that lists a defect is run whether it comes by or not, and counts as no other', async () => {
    const { outcomes, ran } = await play([killer(), ...many], passingBy([]));
    expect(ran[1]).toEqual(['merge.one']);
    expect(outcomes).toMatchObject([{ others: { run: 0, of: 0 } }]);
  });
});

describe('many defects', () => {
  const defects = ['d-one', 'd-two', 'd-three'].map((id) => defect(id));
  const cases = defects.map(({ id }) => killer(`merge.${id}`, { kills: [id] }));

  test('come back in their order, however many run at the same time', async () => {
    const verdicts: Verdicts = { 'merge.d-two': ['pass', 'fail', 'fail'] };
    const { outcomes } = await play(cases, { defects, verdicts, workers: 3 });
    expect(outcomes.map((outcome) => [outcome.defect.id, outcome.killedBy.length])).toEqual([
      ['d-one', 0],
      ['d-two', 1],
      ['d-three', 0],
    ]);
  });

  test('are left alone when the run is to stop', async () => {
    expect(await play(cases, { defects, stop: AbortSignal.abort() })).toEqual({ outcomes: [], ran: [] });
  });

  test('that no longer apply are a mistake of whoever wrote them', async () => {
    const gone = { ...defect(), edits: [{ in: 'merge', find: 'absent', replace: 'x' }] };
    await expect(play([killer()], { defects: [gone] })).rejects.toThrow(/g\.yaml:1: merge-deep: the text to replace/);
  });
});
