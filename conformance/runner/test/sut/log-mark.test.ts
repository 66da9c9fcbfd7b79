import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createLogMark } from '../../sut/log-mark.ts';

test('a mark gives the lines that were printed since, though older ones are forgotten', () => {
  let lines: readonly string[] = ['a', 'b'];
  let count = 2;
  const since = createLogMark({ logs: () => lines, logged: () => count }, undefined)();
  expect(since()).toEqual([]);
  lines = ['b', 'c', 'd'];
  count = 4;
  expect(since()).toEqual(['c', 'd']);
});

test('a log file is read from where it was, or from its beginning when it was begun anew', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'conform-log-'));
  const file = path.join(folder, 'x.log');
  try {
    const mark = createLogMark({ logs: () => ['output'], logged: () => 1 }, file);
    const fromNothing = mark();
    expect(fromNothing()).toEqual([]);
    await writeFile(file, 'one\n');
    const since = mark();
    await appendFile(file, 'two\nthree\n');
    expect(since()).toEqual(['two', 'three']);
    expect(fromNothing()).toEqual(['one', 'two', 'three']);
    await writeFile(file, 'x\n');
    expect(since()).toEqual(['x']);
  } finally {
    await rm(folder, { recursive: true });
  }
});
