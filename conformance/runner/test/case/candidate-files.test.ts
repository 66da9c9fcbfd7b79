import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { mayHoldChosen } from '../../case/candidate-files.ts';
import { EVERYTHING, selectCases, type Selection } from '../../case/select.ts';
import { packageRoot } from '../../values/package-root.ts';
import { wholeSuite } from '../support/whole-suite.ts';

const FOLDER = 'conformance/cases';

function heldBy(name: string, text: string, over: Partial<Selection>): boolean {
  return mayHoldChosen({ ...EVERYTHING, ...over }, FOLDER)({ name: `${FOLDER}/${name}`, text });
}

describe('a file is read for', () => {
  const text = 'suite: a.b\ncases:\n  - id: a.b.one\n    clauses: [{ id: MERGE-001, as: positive }]\n';
  test.each([
    ['everything', {}, true],
    ['its folder', { patterns: ['a'] }, true],
    ['its folder by another way', { patterns: ['../cases/a/'] }, true],
    ['another folder', { patterns: ['c'] }, false],
    ['an id in it', { patterns: ['a.b.one[row]@op'] }, true],
    ['a glob that may be an id in it', { patterns: ['*one'] }, true],
    ['a glob that cannot be', { patterns: ['a.c*'] }, false],
    ['one pattern of several', { patterns: ['a.c*', 'a.b.one'] }, true],
    ['a clause it cites', { clauses: ['MERGE-001'] }, true],
    ['another clause', { clauses: ['MERGE-002'] }, false],
    ['an area', { areas: ['MERGE'] }, true],
    ['another area', { areas: ['MER'] }, false],
    ['a level, which is seen only when it is read', { levels: ['must'] as const }, true],
  ])('%s', (_, over, expected) => {
    expect(heldBy('a/file.yaml', text, over)).toBe(expected);
  });

  test.each([
    ['resources', true],
    ['resources.generated.keepalive*', true],
    ['*keepalive*', true],
    ['resources/status.yaml', false],
    ['traffic.timeouts*', false],
  ])('generated cases, whose ids nobody wrote: %s %j', (pattern, expected) => {
    const generating = 'suite: resources.generated\ncases:\n  - generate:\n';
    expect(heldBy('resources/generated.yaml', generating, { patterns: [pattern] })).toBe(expected);
  });
});

const every = (list: readonly string[]): readonly string[] => [...new Set(list)];

test('no selection of the whole suite loses a case by it', { timeout: 60_000 }, async () => {
  const root = packageRoot();
  const { cases } = await wholeSuite();
  const files = readdirSync(path.join(root, FOLDER), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.yaml'),
  );
  const texts = files.map((name) => ({
    name: path.join(FOLDER, name),
    text: readFileSync(path.join(root, FOLDER, name), 'utf8'),
  }));
  const selections: readonly Partial<Selection>[] = [
    ...every(cases.map(({ id }) => id))
      .filter((_, index) => index % 60 === 0)
      .map((id) => ({ patterns: [id] })),
    ...every(cases.map(({ suite }) => suite.replace(/\..*/, ''))).map((suite) => ({ patterns: [`${suite}.*`] })),
    ...every(cases.flatMap(({ clauses }) => clauses.map(({ id }) => id)))
      .filter((_, index) => index % 20 === 0)
      .map((id) => ({ clauses: [id] })),
  ];
  const lost = selections.flatMap((over) => {
    const selection = { ...EVERYTHING, ...over };
    const held = new Set(texts.filter(mayHoldChosen(selection, FOLDER)).map(({ name }) => name));
    return selectCases(cases, selection, FOLDER).cases.filter(({ file }) => !held.has(file));
  });
  expect(selections.length).toBeGreaterThan(100);
  expect(lost.map(({ id }) => id)).toEqual([]);
});
