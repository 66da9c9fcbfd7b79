import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { isKiller } from '../../gallery/check.ts';
import { indexSources } from '../../gallery/declarations.ts';
import type { Defect } from '../../gallery/defects.ts';
import { readKeptPassed, type Followed, type Part } from '../../gallery/kept-passed.ts';
import { followCases, passingOf } from '../../gallery/passing.ts';
import type { Passed } from '../../gallery/telling-reference.ts';
import { loadManifest } from '../../sut/manifest.ts';
import { packageRoot } from '../../values/package-root.ts';
import { concreteCase } from '../support/concrete-case.ts';
import { wholeSuite } from '../support/whole-suite.ts';
import { referenceSources, wholeGallery } from '../support/whole-gallery.ts';

const TEXT = `export const LIMIT = 5;
export function merge(kind: string): string {
  if (kind === 'deep') return 'deeply';
  switch (kind) {
    case 'flat':
      return 'flatly';
    default:
      return kind + LIMIT;
  }
}
`;
const FILE = 'reference-impl/merge.ts';
const SOURCES = indexSources(
  new Map([
    [FILE, TEXT],
    ['reference-impl/other.ts', 'export const helper = 3;\n'],
  ]),
);

/** The places of texts, each of which stands there once. */
function placesOf(...texts: readonly string[]): Passed {
  const starts = texts.map((text) => TEXT.indexOf(text));
  return new Map([[FILE, texts.flatMap((text, index) => [starts[index] ?? 0, (starts[index] ?? 0) + text.length])]]);
}

function defect(find: string, more: Partial<Defect['edits'][number]> = {}): Defect {
  const edits = [{ in: 'merge', find, replace: 'other', ...more }];
  return { id: 'd', clauses: ['MERGE-009'], text: 'Wrong.', edits, place: 'g.yaml:1' };
}

/** Who comes by a defect, where the cases `deep`, `flat` and `own` are followed and `red` could not be. */
function casesOf(changed: Defect, more: { readonly start?: Passed } = {}): readonly string[] | undefined {
  const passed = new Map<string, Passed>([
    ['deep', placesOf("if (kind === 'deep') return 'deeply';")],
    ['flat', placesOf("if (kind === 'deep')", 'switch (kind)', "return 'flatly'")],
    ['own', placesOf("if (kind === 'deep')", 'switch (kind)', 'return kind + LIMIT')],
  ]);
  const cases = [...passed.keys(), 'red'].map((id) =>
    concreteCase(id, { isolation: id === 'own' ? 'instance' : 'host' }),
  );
  const of = (what: Followed): readonly Part[] | undefined => {
    const found = what === 'start' ? (more.start ?? new Map<string, readonly number[]>()) : passed.get(what.id);
    return found === undefined ? undefined : [...found].map(([file, places]) => ({ file, places }));
  };
  const loading = placesOf('export const LIMIT = 5;');
  const found = passingOf(cases, { kept: { of }, loading, sources: SOURCES }).casesOf(changed);
  return found === undefined ? undefined : [...found].toSorted();
}

describe('the cases that come by a defect', () => {
  test('have executed what it changes, and those that could not be followed are among them', () => {
    expect(casesOf(defect("return 'deeply'"))).toEqual(['deep', 'red']);
    expect(casesOf(defect("return 'flatly'"))).toEqual(['flat', 'red']);
    expect(casesOf(defect("kind === 'deep'"))).toEqual(['deep', 'flat', 'own', 'red']);
  });

  test('are those of any of its edits', () => {
    const { edits } = defect("return 'deeply'");
    expect(casesOf({ ...defect("return 'flatly'"), edits: [...edits, ...defect("return 'flatly'").edits] })).toEqual([
      'deep',
      'flat',
      'red',
    ]);
  });

  test('are not all that load a file to which an import is added', () => {
    expect(casesOf(defect("'deeply'", { replace: 'String(helper)', import: ['helper'] }))).toEqual(['deep', 'red']);
  });

  test('of a label come by its switch, whichever way they go on', () => {
    expect(casesOf(defect("'flat':", { replace: "'even':" }))).toEqual(['flat', 'own', 'red']);
    expect(casesOf(defect("case 'flat'", { replace: "case 'even'" }))).toEqual(['flat', 'own', 'red']);
  });

  test('are not known where what is changed is executed while the reference loads', () => {
    expect(casesOf(defect('= 5', { in: 'LIMIT', replace: '= 6' }))).toBeUndefined();
  });

  test('are not known where the start has executed it and not every live case does so again', () => {
    const start = placesOf("if (kind === 'deep')", "return 'flatly'", 'return kind + LIMIT');
    expect(casesOf(defect("return 'flatly'"), { start })).toBeUndefined();
    expect(casesOf(defect('return kind + LIMIT'), { start })).toBeUndefined();
    expect(casesOf(defect("kind === 'deep'"), { start })).toEqual(['deep', 'flat', 'own', 'red']);
  });
});

const DEFECT = 'selector-first-match-only';
const OTHER = 'traffic.authorization.sees-the-request[header-any-case]';

describe('the reference', { timeout: 120_000 }, () => {
  test('says of every case that lists a defect that it comes by it, and of others that they do not', async () => {
    const root = packageRoot();
    const sources = await referenceSources();
    const { defects } = await wholeGallery();
    const changed = defects.find(({ id }) => id === DEFECT);
    if (changed === undefined) throw new Error(`the gallery has no ${DEFECT}`);
    const { cases } = await wholeSuite();
    const listing = cases.filter((one) => isKiller(one) && one.kills.includes(DEFECT));
    const others = cases.filter(({ id }) => id === OTHER);
    const folder = await mkdtemp(path.join(tmpdir(), 'conform-passing-'));
    const file = path.join(folder, 'passed.ndjson');
    try {
      const on = { root, sources, file, manifest: loadManifest(path.join(root, 'reference-impl/implementation.yaml')) };
      const stop = new AbortController().signal;
      const passing = await followCases([...listing, ...others], { ...on, stop, told: () => undefined });
      expect(others).toHaveLength(1);
      expect([...(passing.casesOf(changed) ?? [])].toSorted()).toEqual(listing.map(({ id }) => id).toSorted());
      expect(readKeptPassed(file, sources).of('start')).not.toHaveLength(0);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
