import { rmSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { EVERYTHING } from '../../../../conformance/runner/case/select.ts';
import type { ConcreteCase } from '../../../../conformance/runner/case/concrete-case.ts';
import { loadSuite } from '../../../../conformance/runner/load-suite.ts';
import { loadManifest } from '../../../../conformance/runner/sut/manifest.ts';
import { packageRoot } from '../../../../conformance/runner/values/package-root.ts';
import { type Equivalent, LISTS, readEquivalents, reasonFor } from '../../mutants/equivalents.ts';
import { follow } from '../../mutants/follow.ts';
import { readFollowed } from '../../mutants/followed.ts';
import type { Hints } from '../../mutants/hints.ts';
import { instrument } from '../../mutants/instrument.mjs';
import { judgeMutants, type MutantOutcome } from '../../mutants/judge.ts';
import { killersAmong } from '../../mutants/killers.ts';
import type { Mutant } from '../../mutants/mutant.ts';
import { scoreOf, shares } from '../../mutants/score.ts';
import { startMutated } from '../../mutants/mutated-reference.ts';

const root = packageRoot();
const DELAY = 'reference-impl/policies/traffic/delay.ts';

describe('mutants of the reference', { timeout: 300_000 }, () => {
  let mutants: readonly Mutant[] = [];
  let ofLists: readonly Mutant[] = [];
  let cases: readonly ConcreteCase[] = [];
  let main = '';
  let started = 0;
  const work = path.join(root, '.cache/mutants-test');
  const start = async (mutant?: string): ReturnType<typeof startMutated> => {
    started += 1;
    const manifest = loadManifest(path.join(root, 'reference-impl/implementation.yaml'));
    const folder = path.join(work, `run-${started}`);
    return startMutated(manifest, { main, folder, ...(mutant === undefined ? {} : { mutant }) });
  };

  beforeAll(async () => {
    ({ main, mutants } = await instrument({ root, files: [DELAY], out: path.join(work, 'bundle') }));
    const patterns = ['traffic.delay.not-positive', 'traffic.delay.within-timeout'];
    ({ cases } = await loadSuite({ selection: { ...EVERYTHING, patterns } }));
    // The lists are about the same files; each is changed in a thousand places once.
    const files = [...new Set(LISTS.flatMap((list) => readEquivalents(list).map(({ file }) => file)))];
    ({ mutants: ofLists } = await instrument({ root, files }));
  }, 300_000);

  function mutantOf(original: string, replacement: string): Mutant {
    const found = mutants.find((one) => one.original === original && one.replacement === replacement);
    if (found === undefined) throw new Error(`no mutant ${original} → ${replacement}`);
    return found;
  }

  test('are killed by the cases that come by them, survive what changes nothing, and one that no case comes by is told apart', async () => {
    const drawn = [
      mutantOf('wanted > 0', 'wanted <= 0'),
      mutantOf('2 ** 31 - 1', '2 ** 31 + 1'),
      mutantOf('limit > 0 && milliseconds >= limit', 'false'),
    ];
    const folder = path.join(work, 'followed');
    rmSync(folder, { recursive: true, force: true });
    const followed = readFollowed(root, folder, mutants);
    const following = { start, lanes: 1, followed, stopped: () => false, told: () => {} };
    const atStart = await follow(cases, following);
    const killers = killersAmong(cases, { followed, atStart, hints: NO_HINTS, isSlow: () => false });
    const judging = { start, killers, atStart, most: 100, lanes: 1, report: () => {}, stopped: () => false };
    const outcomes = await judgeMutants(drawn, judging);
    expect(outcomes.map(({ verdict, by }) => [verdict, by?.replace(/\[.*/, '')])).toEqual([
      ['killed', expect.stringContaining('traffic.delay.')],
      // 24 days: neither of the two cases waits that long.
      ['survived', undefined],
      ['killed', 'traffic.delay.within-timeout'],
    ]);
    const nobody = { ...judging, killers: { of: () => [], learn: () => {} } };
    expect(await judgeMutants(drawn.slice(0, 1), nobody)).toMatchObject([{ verdict: 'uncovered', ran: 0 }]);

    // What was followed is kept: the same cases are not run again.
    const kept = readFollowed(root, folder, mutants);
    expect(cases.map((one) => kept.of(one)?.green)).toEqual(cases.map(() => true));
    const [first, ...others] = cases.map((one) => kept.of(one)?.total ?? 0);
    expect(first).toBeGreaterThan(0);
    expect(others.every((total) => total > 0)).toBe(true);
  });

  test('count by what became of them and by the list they stand in', () => {
    const [first, second, third, fourth, fifth] = mutants.slice(0, 5) as [Mutant, Mutant, Mutant, Mutant, Mutant];
    const outcomes = [
      outcome(first, 'killed'),
      outcome(second, 'survived'),
      outcome(third, 'survived'),
      outcome(fourth, 'uncovered'),
      outcome(fifth, 'unstarted'),
    ];
    const score = scoreOf(outcomes, { equivalent: [entry(second)], open: [entry(third)] });
    expect(score).toEqual({ mutants: 5, killed: 1, survived: 0, uncovered: 1, unstarted: 1, equivalent: 1, open: 1 });
    expect(shares(score)).toEqual({ all: 33.3, stated: 50 });
  });

  test('are not asked for where they change what people read', async () => {
    const { mutants: asked, leftOut } = await instrument({
      root,
      files: ['reference-impl/admission/rules/proxy-policy.ts'],
    });
    const texts = leftOut.flatMap((one) => one.mutants.map(({ original }) => original));
    expect(leftOut.every((one) => one.mutants.length > 0)).toBe(true);
    // Words, or the clause beside them.
    expect(texts.filter((text) => !/\s|^'[A-Z]+-\d{3}'$/.test(text))).toEqual([]);
    expect(asked.some(({ mutator, original }) => mutator === 'StringLiteral' && /\s/.test(original))).toBe(false);
  });

  test.each(LISTS)('that are listed as %s are there, each once', (list) => {
    const known = readEquivalents(list);
    const byFile = Map.groupBy(ofLists, ({ file }) => file);
    const stale = known.filter(
      (one) => !(byFile.get(one.file) ?? []).some((mutant) => reasonFor(mutant, [one]) !== undefined),
    );
    expect(stale).toEqual([]);
    const names = known.map(({ file, within, mutator, original, replacement }) =>
      [file, within, mutator, original, replacement].join('\n'),
    );
    expect(new Set(names).size).toBe(known.length);
  });
});

const NO_HINTS: Hints = { noticing: () => new Map(), clauses: () => new Set() };

function outcome(mutant: Mutant, verdict: MutantOutcome['verdict']): MutantOutcome {
  return { mutant, verdict, ran: 1, covering: 1 };
}

function entry({ file, original, replacement }: Mutant): Equivalent {
  return { file, original, replacement, why: 'for this test only' };
}
