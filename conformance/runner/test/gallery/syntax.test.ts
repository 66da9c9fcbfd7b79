import { expect, test } from 'vitest';
import { indexSources } from '../../gallery/declarations.ts';
import type { Defect } from '../../gallery/defects.ts';
import { unreadableEdits } from '../../gallery/syntax.ts';

const FILE = 'reference-impl/pipeline/attempts.ts';
const SOURCES = indexSources(
  new Map([[FILE, 'export function attempts(count: number): number {\n  return count;\n}']]),
);

function defect(...edits: readonly [find: string, replace: string][]): Defect {
  return {
    id: 'late',
    clauses: ['DELAY-001'],
    text: 'Every request waits.',
    edits: edits.map(([find, replace]) => ({ in: 'attempts', find, replace })),
    place: 'gallery/delay.yaml:9',
  };
}

test('what can be read is no problem, types and all', async () => {
  expect(await unreadableEdits([defect(['return count;', 'return (count as number) + 1;'])], SOURCES)).toEqual([]);
});

test('an edit that leaves something nobody can read is found, by the place of its defect', async () => {
  expect(await unreadableEdits([defect(['return count;', 'return await count;'])], SOURCES)).toEqual([
    expect.stringMatching(`^gallery/delay.yaml:9: late: with the edits ${FILE} cannot be read: .*await`),
  ]);
});

test('all edits of a file count together', async () => {
  const both = defect(['return count;', 'return await count;'], ['function attempts', 'async function attempts']);
  expect(await unreadableEdits([both], SOURCES)).toEqual([]);
});
