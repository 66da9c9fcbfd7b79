import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Defect } from '../../gallery/defects.ts';
import { keepOutcomes } from '../../gallery/kept-outcomes.ts';
import type { DefectOutcome } from '../../gallery/run-defects.ts';

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
  keepOutcomes(file, [], 30).add(outcome('one'));
  expect(keepOutcomes(file, [defect('one'), defect('two')], 30).known).toEqual([outcome('one')]);
});

test('another number of others, another edit and another defect are not known', () => {
  keepOutcomes(file, [], 30).add(outcome('one'));
  expect(keepOutcomes(file, [defect('one')], Infinity).known).toEqual([]);
  expect(keepOutcomes(file, [defect('one', 'c')], 30).known).toEqual([]);
  expect(keepOutcomes(file, [defect('two')], 30).known).toEqual([]);
});

test('of two outcomes of one defect the later counts', () => {
  const { add } = keepOutcomes(file, [], Infinity);
  add(outcome('one', { killedBy: [] }));
  add(outcome('one'));
  expect(keepOutcomes(file, [defect('one')], Infinity).known).toEqual([outcome('one')]);
});

test('a defect that came to an error is run again', () => {
  keepOutcomes(file, [], 30).add(outcome('one', { error: 'the reference cannot be used' }));
  expect(keepOutcomes(file, [defect('one')], 30).known).toEqual([]);
});

test('half a line at the end is what a killed run leaves; anywhere else it is a mistake that is told by its place', () => {
  keepOutcomes(file, [], 30).add(outcome('one'));
  const whole = readFileSync(file, 'utf8');
  writeFileSync(file, `${whole}{"id":"tw`);
  expect(keepOutcomes(file, [defect('one')], 30).known).toHaveLength(1);
  writeFileSync(file, `{"id":"tw\n${whole}`);
  expect(() => keepOutcomes(file, [defect('one')], 30)).toThrow(`${file}:1: no outcome of a defect`);
});
