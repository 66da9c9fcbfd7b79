import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { EVERYTHING } from '../../../../conformance/runner/case/select.ts';
import type { ConcreteCase } from '../../../../conformance/runner/case/concrete-case.ts';
import { loadSuite } from '../../../../conformance/runner/load-suite.ts';
import { loadManifest } from '../../../../conformance/runner/sut/manifest.ts';
import { packageRoot } from '../../../../conformance/runner/values/package-root.ts';
import { readEquivalents, reasonFor } from '../../mutants/equivalents.ts';
import { instrument } from '../../mutants/instrument.mjs';
import { cover, judgeMutants } from '../../mutants/judge.ts';
import type { Mutant } from '../../mutants/mutant.ts';
import { startMutated } from '../../mutants/mutated-reference.ts';

const root = packageRoot();
const DELAY = 'reference-impl/policies/traffic/delay.ts';

describe('mutants of the reference', { timeout: 300_000 }, () => {
  let mutants: readonly Mutant[] = [];
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
    const judging = { start, most: 100, notices: new Map(), report: () => {}, stopped: () => false };
    const followed = await cover(cases, judging, () => {});
    const outcomes = await judgeMutants(drawn, followed, judging);
    expect(outcomes.map(({ verdict, by }) => [verdict, by?.replace(/\[.*/, '')])).toEqual([
      ['killed', expect.stringContaining('traffic.delay.')],
      // 24 days: no case waits that long.
      ['survived', undefined],
      ['killed', 'traffic.delay.within-timeout'],
    ]);
    const nobody = { groups: followed.groups.map(({ cases: all }) => ({ cases: all, covered: new Map() })) };
    const uncovered = await judgeMutants(drawn.slice(0, 1), { ...nobody, atStart: new Map() }, judging);
    expect(uncovered).toMatchObject([{ verdict: 'uncovered', ran: 0 }]);
  });

  test('that are listed as equivalent are there, each once', async () => {
    const known = readEquivalents();
    const files = [...new Set(known.map(({ file }) => file))];
    const { mutants: listed } = await instrument({ root, files });
    const stale = known.filter((one) => !listed.some((mutant) => reasonFor(mutant, [one]) !== undefined));
    expect(stale).toEqual([]);
    expect(new Set(known.map(({ file, original, replacement }) => [file, original, replacement].join('\n'))).size).toBe(
      known.length,
    );
  });
});
