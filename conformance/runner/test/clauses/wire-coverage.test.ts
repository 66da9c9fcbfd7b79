import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isGating, loadRegister } from '../../clauses/register.ts';
import { packageRoot } from '../../values/package-root.ts';
import { wholeSuite } from '../support/whole-suite.ts';

/** What no traffic can show, and why. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'ATTACH-018': 'about what a status holds',
};

test('every demand on merging and attachment is judged by traffic alone, in both polarities', async () => {
  const spec = path.join(packageRoot(), 'docs/spec');
  const [{ cases }, { clauses }] = await Promise.all([wholeSuite(), loadRegister(spec)]);
  const wire = cases.filter(({ level, layer }) => level === 'must' && layer === 'wire');
  const shown = new Set(wire.flatMap((one) => one.clauses.map(({ id, as }) => `${id} ${as}`)));
  const reasons = readFileSync(path.join(spec, 'reasons.yaml'), 'utf8');
  const demands = [...clauses.values()].filter(
    (clause) =>
      ['MERGE', 'ATTACH'].includes(clause.area) &&
      isGating(clause) &&
      !(clause.id in ELSEWHERE) &&
      !reasons.includes(clause.id),
  );
  const missing = demands
    .flatMap(({ id }) => ['positive', 'negative'].map((as) => `${id} ${as}`))
    .filter((polarity) => !shown.has(polarity));
  expect(demands.length).toBeGreaterThan(30);
  expect(missing).toEqual([]);
});
