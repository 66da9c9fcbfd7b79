import path from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { addExplainCommand } from '../../commands/explain.ts';
import { addGalleryCommand } from '../../commands/gallery.ts';
import { addLintCommand } from '../../commands/lint.ts';
import { addListCommand } from '../../commands/list.ts';
import { addRunCommand } from '../../commands/run.ts';
import { runHere } from '../support/run-here.ts';

const good = path.join(import.meta.dirname, '../support/cases/good');

describe('a word that is not known', { timeout: 120_000 }, () => {
  test.each([
    [['list', 'attachment/merg.yaml'], 'did you mean attachment/merge.yaml?'],
    [['lint', '--cases', good, 'simple.rout'], 'no case matches simple.rout, did you mean simple.route?'],
    [['list', '--layer', 'wires'], "argument 'wires' is invalid. wires is unknown, did you mean wire?"],
    [['list', '--level', 'x'], 'x is none of must, should, observe'],
    [['run', '--area', 'MERG'], 'MERG is unknown, did you mean MERGE?'],
    [['run', '--clause', 'merge-0100'], 'the register has no clause MERGE-0100, did you mean MERGE-010?'],
    [['explain', 'merge-999'], 'the register has no clause MERGE-999, did you mean MERGE-'],
    [['list', '--cases', '/no/such'], '--cases /no/such: there is no such folder'],
    [['lint', '--cases', import.meta.filename], 'wrong-words.test.ts: this is no folder and no YAML file'],
    [['gallery', '--only', 'routing'], '--only chooses cases for --null and --lawful'],
    [['gallery', '--null', '--only', 'nothing.at-all'], 'no such case is run here: nothing.at-all'],
    [['lits'], "unknown command 'lits'"],
  ])('%j is a usage error that says what may have been meant', async (args, words) => {
    const { stderr, code } = await runHere(addCommands, ...args);
    expect(stderr).toContain(words);
    expect(stderr).not.toMatch(/^ +at /m);
    expect(code).toBe(2);
  });
});

test('areas and clauses may be written in small letters', async () => {
  const found = await listed('--area', 'MERGE', '--clause', 'MERGE-010');
  expect(found).toContainEqual(expect.objectContaining({ suite: 'attachment.merge' }));
  expect(await listed('--area', 'merge', '--clause', 'merge-010')).toEqual(found);
});

async function listed(...words: readonly string[]): Promise<unknown> {
  const { stdout } = await runHere(addListCommand, 'list', 'attachment/merge.yaml', '--json', ...words);
  return JSON.parse(stdout);
}

function addCommands(program: Command): void {
  for (const add of [addListCommand, addLintCommand, addRunCommand, addExplainCommand, addGalleryCommand]) add(program);
}
