import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { addSearchCommand } from '../../commands/search.ts';
import { packageRoot } from '../../values/package-root.ts';
import { runHere } from '../support/run-here.ts';

const good = path.join(import.meta.dirname, '../support/cases/good');
/** Enough to find something in; one search goes through all there is. */
const merging = ['--cases', path.join(packageRoot(), 'conformance/cases/attachment')];

describe('conform search', () => {
  test('prints clauses and cases with the lines that have the words', async () => {
    const { stdout, code } = await runHere(addSearchCommand, 'search', 'override policies', 'whole', '--limit', '1');
    expect(stdout).toMatch(/^MERGE-006 {2}MUST\n {2}Override excludes more-specific traffic policies /);
    expect(stdout).toMatch(/^attachment\.merge\.override-excludes-whole-policies \(4\) {2}must \w+\n {2}\S/m);
    expect(stdout).toMatch(/^\d+ clauses?, \d+ cases?/m);
    expect(code).toBe(0);
  });

  test('finds cases by a part of a defect they kill', async () => {
    const { stdout } = await runHere(addSearchCommand, 'search', ...merging, 'override-only-same-fiel');
    expect(stdout).toMatch(/^ {2}kills override-only-same-field$/m);
  });

  test('gives everything as JSON', async () => {
    const { stdout } = await runHere(addSearchCommand, 'search', '--json', '--cases', good, 'simple.route');
    expect(JSON.parse(stdout)).toMatchObject({
      words: ['simple.route'],
      complete: true,
      unknown: [],
      cases: [{ id: 'simple.route', why: [{ label: 'id', text: 'simple.route' }] }],
    });
  });

  test('of words that stand nowhere says so, with words that do', async () => {
    const { stdout, stderr, code } = await runHere(addSearchCommand, 'search', ...merging, 'overide');
    expect(stdout).toBe('');
    expect(stderr).toBe('no clause and no case has overide\noveride stands nowhere, did you mean override?\n');
    expect(code).toBe(2);
  });
});
