import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { ConcreteCase } from '../../case/concrete-case.ts';
import { indexSources } from '../../gallery/declarations.ts';
import { variantsLines } from '../../gallery/gallery-report.ts';
import { runVariants, type Variant, type VariantsOutcome } from '../../gallery/lawful.ts';
import { parseManifest } from '../../sut/manifest.ts';
import { caseResult, concreteCase } from '../support/concrete-case.ts';

const TEXT = "const answer = 'plain words';\nconst order = 'first last';\n";
const SOURCES = indexSources(new Map([['reference-impl/answer.ts', TEXT]]));
const MANIFEST = parseManifest(
  'contract: 1\nimplementation: {name: tiny}\nrun: {kind: process, command: [tiny]}\n',
  'implementation.yaml',
);

function variant(id: string, find: string, replace: string, name = 'answer'): Variant {
  return { id, clauses: ['DIRECT-001'], text: 'Another.', edits: [{ in: name, find, replace }], place: 'l.yaml:1' };
}

const words = variant('other-words', 'words', 'letters');
const bytes = variant('bytes', 'words', 'bytes');
const fancy = variant('fancy', 'plain', 'fancy');
const last = variant('last-first', 'first last', 'last first', 'order');

/** Runs variants without an implementation: a case is red where what it is made of says so of the edited text. */
async function play(
  variants: readonly Variant[],
  isRed: (id: string, edited: string) => boolean,
  cases: readonly ConcreteCase[] = [concreteCase('direct.one'), concreteCase('direct.two')],
): Promise<{ readonly outcomes: readonly VariantsOutcome[]; readonly ran: readonly string[] }> {
  const ran: string[] = [];
  const outcomes = await runVariants(variants, {
    manifest: MANIFEST,
    root: '/nowhere',
    sources: SOURCES,
    cases,
    seed: 1,
    stop: new AbortController().signal,
    report: () => undefined,
    progress: () => undefined,
    runCases: async (chosen, { extraEnv }, { report }) => {
      const file = extraEnv?.['CONFORM_DEFECT'] ?? '';
      const edited = await readFile(file, 'utf8');
      ran.push(`${chosen.map(({ id }) => id).join(' ')} on ${file.replace(/^.*\//, '').replace('.json', '')}`);
      for (const one of chosen) report(caseResult(one.id, isRed(one.id, edited) ? 'fail' : 'pass', { case: one }));
      return undefined;
    },
  });
  return { outcomes, ran };
}

test('variants that touch different text run together, the others after them', async () => {
  const { outcomes, ran } = await play([words, bytes, fancy, last], () => false);
  expect(ran).toEqual(['direct.one direct.two on 3-together', 'direct.one direct.two on bytes']);
  expect(outcomes).toMatchObject([
    { variants: [words, fancy, last], judged: 2, accused: [] },
    { variants: [bytes], judged: 2, accused: [] },
  ]);
  expect(outcomes.flatMap((outcome) => variantsLines({ ...outcome, durationMs: 1500 }))).toEqual([
    'lawful    3 together, 2 cases, 0 red (1.5 s)',
    'lawful    1 together, 2 cases, 0 red (1.5 s)',
  ]);
});

test('who lacks a feature, or declares another answer to the same point, runs apart', async () => {
  const lacking: Variant = { ...last, declares: { 'trace.phases': false } };
  const one: Variant = { ...fancy, declares: { 'U-001': 'GET' } };
  const other: Variant = { ...words, declares: { 'U-001': 'PUT' } };
  const { outcomes } = await play([lacking, one, other], () => false);
  expect(outcomes).toMatchObject([{ variants: [lacking] }, { variants: [one] }, { variants: [other] }]);
});

test('of a red case it is said which variant it accuses', async () => {
  const { outcomes, ran } = await play(
    [words, last],
    (id, edited) => id === 'direct.two' && edited.includes('last first'),
  );
  expect(outcomes).toMatchObject([{ accused: [{ id: 'direct.two', by: ['last-first'] }] }]);
  expect(ran.slice(1)).toEqual(['direct.two on 2-together', 'direct.two on other-words', 'direct.two on last-first']);
  expect(outcomes.flatMap(variantsLines)[0]).toMatch(/^ACCUSED {3}last-first by direct\.two/);
});

test('what is red only where several come together names none of them, and what is red by chance is none', async () => {
  const { outcomes } = await play(
    [words, last],
    (_, edited) => edited.includes('letters') && edited.includes('last first'),
  );
  expect(outcomes[0]?.accused.map(({ by }) => by)).toEqual([[], []]);
  let asked = 0;
  const chance = await play([words], () => asked++ === 0);
  expect(chance.outcomes[0]?.accused).toEqual([]);
});

test('of variants with which the reference does not start the line names those that keep it from it', async () => {
  const said: string[] = [];
  const outcomes = await runVariants([words, last], {
    manifest: MANIFEST,
    root: '/nowhere',
    sources: SOURCES,
    cases: [concreteCase('direct.one')],
    seed: 1,
    stop: new AbortController().signal,
    report: (outcome) => said.push(...variantsLines({ ...outcome, durationMs: 0 })),
    progress: () => undefined,
    runCases: async (chosen, { extraEnv }, { report }) => {
      const edited = await readFile(extraEnv?.['CONFORM_DEFECT'] ?? '', 'utf8');
      if (edited.includes('letters')) return 'the reference cannot be used: no such word';
      for (const one of chosen) report(caseResult(one.id, 'pass', { case: one }));
      return undefined;
    },
  });
  expect(outcomes.map(({ variants }) => variants)).toEqual([[words], [last]]);
  expect(said).toEqual([
    'ERROR     other-words: the reference cannot be used: no such word',
    'lawful    1 together, 1 cases, 0 red (0.0 s)',
  ]);
});

test('only required cases are asked', async () => {
  const { ran } = await play([words], () => false, [
    concreteCase('direct.one'),
    concreteCase('direct.should', { level: 'should' }),
    concreteCase('direct.random', { layer: 'property' }),
  ]);
  expect(ran).toEqual(['direct.one on other-words']);
});
