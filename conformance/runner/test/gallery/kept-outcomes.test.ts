import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Defect } from '../../gallery/defects.ts';
import { keepOutcomes } from '../../gallery/kept-outcomes.ts';
import type { DefectOutcome } from '../../gallery/run-defects.ts';

const HOW = '30 others, seed 1, every layer';
let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'outcomes-'));
  file = path.join(folder, 'outcomes.ndjson');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function defect(id: string, replace = 'b'): Defect {
  return { id, clauses: ['MERGE-009'], text: 'Merged.', edits: [{ in: 'merge', find: 'a', replace }], place: 'g:1' };
}

function outcome(id: string, more: Partial<DefectOutcome> = {}): DefectOutcome {
  return {
    defect: defect(id),
    killedBy: ['merge.one'],
    collateral: ['merge.other'],
    red: 2,
    listed: 1,
    others: { run: 30, of: 5000 },
    durationMs: 7,
    ...more,
  };
}

test('what was kept is known to the next run, with its defect', () => {
  keepOutcomes(file, [], HOW).add(outcome('one'));
  expect(keepOutcomes(file, [defect('one'), defect('two')], HOW).known).toEqual([outcome('one')]);
});

test('another way to run, another edit and another defect are not known', () => {
  keepOutcomes(file, [], HOW).add(outcome('one'));
  expect(keepOutcomes(file, [defect('one')], 'every case').known).toEqual([]);
  expect(keepOutcomes(file, [defect('one', 'c')], HOW).known).toEqual([]);
  expect(keepOutcomes(file, [defect('two')], HOW).known).toEqual([]);
});

test('of two outcomes of one defect the later counts', () => {
  const { add } = keepOutcomes(file, [], 'every case');
  add(outcome('one', { killedBy: [] }));
  add(outcome('one'));
  expect(keepOutcomes(file, [defect('one')], 'every case').known).toEqual([outcome('one')]);
});

test('a defect that came to an error is run again', () => {
  keepOutcomes(file, [], HOW).add(outcome('one', { error: 'the reference cannot be used' }));
  expect(keepOutcomes(file, [defect('one')], HOW).known).toEqual([]);
});

test('half a line at the end is what a killed run leaves: the next run goes on behind the last whole one', () => {
  keepOutcomes(file, [], HOW).add(outcome('one'));
  appendFileSync(file, '{"id":"tw');
  const { known, add } = keepOutcomes(file, [defect('one')], HOW);
  expect(known).toHaveLength(1);
  add(outcome('two'));
  expect(keepOutcomes(file, [defect('one'), defect('two')], HOW).known).toEqual([outcome('one'), outcome('two')]);
});

test('any other line that is no outcome is told by its place', () => {
  writeFileSync(file, '{"id":"tw\n');
  expect(() => keepOutcomes(file, [defect('one')], HOW)).toThrow(`${file}:1: no outcome of a defect`);
});

test('a file that cannot be written is told at once', () => {
  expect(() => keepOutcomes(path.join(folder, 'none', 'outcomes.ndjson'), [], HOW)).toThrow('ENOENT');
});
