import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { brokenConstraints } from '../../clauses/constraints.ts';
import { loadRegister } from '../../clauses/register.ts';
import type { Constraint } from '../../clauses/register.ts';
import { packageRoot } from '../../values/package-root.ts';

const spec = path.join(packageRoot(), 'docs/spec');
const cases = [{ baseId: 'c.one' }];
const complete = Array.from({ length: 123 }, (_, index): Constraint => entry(index + 1));

function entry(number: number, over: Partial<Constraint> = {}): Constraint {
  return { id: `X-${String(number).padStart(3, '0')}`, rule: 'r', level: 'admission', cases: ['c.one'], ...over };
}

test.each<readonly [string, readonly Constraint[], readonly string[]]>([
  ['a complete table', complete, []],
  ['a number that is missing', complete.slice(1), ['X-001 is missing']],
  ['a number that is none of them', [...complete, entry(124)], ['X-124 is no constraint']],
  ['a number given twice', [...complete, entry(7)], ['X-007 is there twice']],
  [
    'a case that does not exist',
    [...complete.slice(0, -1), entry(123, { cases: ['c.one', 'c.two'] })],
    ['X-123 names unknown case c.two'],
  ],
])('%s', (_, constraints, expected) => {
  expect(brokenConstraints(constraints, cases)).toEqual(
    expected.map((problem) => `docs/spec/constraints.yaml: ${problem}`),
  );
});

const FIRST_CASES = / {2}cases:\n( {4}- .*\n)+/;

test.each([
  ['an unknown reason', (text: string) => text.replace(FIRST_CASES, '  reason: no-time\n')],
  ['a reason beside cases', (text: string) => text.replace('  cases:\n', '  reason: later-issue\n  cases:\n')],
  ['neither', (text: string) => text.replace(FIRST_CASES, '')],
])('a table with %s is not read', async (_, edit) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'constraints-'));
  try {
    await cp(spec, folder, { recursive: true });
    const file = path.join(folder, 'constraints.yaml');
    const text = await readFile(file, 'utf8');
    expect(edit(text)).not.toBe(text);
    await writeFile(file, edit(text));
    await expect(loadRegister(folder)).rejects.toThrow('constraints.yaml');
  } finally {
    await rm(folder, { recursive: true });
  }
});
