import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createLineSink } from '../../cli/serve/line-sink.ts';

function file(flags: string): { readonly name: string; readonly descriptor: number } {
  const folder = mkdtempSync(path.join(tmpdir(), 'line-sink-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const name = path.join(folder, 'log');
  openSync(name, 'w');
  return { name, descriptor: openSync(name, flags) };
}

test('lines are written in their order', async () => {
  const { name, descriptor } = file('a');
  const sink = createLineSink(descriptor, () => expect.fail('nothing is dropped'));
  sink.write('one\n');
  sink.write('two\n');
  await sink.flush();
  sink.write('three\n');
  await sink.flush();
  expect(readFileSync(name, 'utf8')).toBe('one\ntwo\nthree\n');
});

test('many lines, and those of several bytes a character, are all written', async () => {
  const { name, descriptor } = file('a');
  const sink = createLineSink(descriptor, () => expect.fail('nothing is dropped'));
  const lines = Array.from({ length: 5000 }, (_, at) => `${at} ${'\u00e9\u20ac\u{1f600}'.repeat(at % 40)}\n`);
  for (const [at, line] of lines.entries()) {
    sink.write(line);
    if (at % 2000 === 1999) await sink.flush();
  }
  await sink.flush();
  expect(readFileSync(name, 'utf8')).toBe(lines.join(''));
});

test('what cannot be written is dropped and counted', async () => {
  const dropped: number[] = [];
  const sink = createLineSink(file('r').descriptor, (count) => dropped.push(count));
  sink.write('one\n');
  sink.write('two\n');
  await sink.flush();
  expect(dropped).toEqual([2]);
});

test('lines beyond the bound are dropped and counted, and none waits for them', async () => {
  const dropped: number[] = [];
  const { name, descriptor } = file('a');
  const sink = createLineSink(descriptor, (count) => dropped.push(count));
  const line = `${'x'.repeat(1024 * 1024 - 1)}\n`;
  for (let at = 0; at < 9; at += 1) sink.write(line);
  await sink.flush();
  expect(dropped).toEqual([1]);
  expect(readFileSync(name).length).toBe(8 * 1024 * 1024);
});
