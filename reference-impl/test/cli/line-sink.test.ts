import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { createLineSink } from '../../cli/serve/line-sink.ts';
import { manualClock } from '../trace/manual-clock.ts';

const means = { clock: systemClock };

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
  const sink = createLineSink(descriptor, () => expect.fail('nothing is dropped'), means);
  sink.write('one\n');
  sink.write('two\n');
  await sink.flush();
  sink.write('three\n');
  await sink.flush();
  expect(readFileSync(name, 'utf8')).toBe('one\ntwo\nthree\n');
});

test('many lines, and those of several bytes a character, are all written', async () => {
  const { name, descriptor } = file('a');
  const sink = createLineSink(descriptor, () => expect.fail('nothing is dropped'), means);
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
  const sink = createLineSink(file('r').descriptor, (count) => dropped.push(count), means);
  sink.write('one\n');
  sink.write('two\n');
  await sink.flush();
  expect(dropped).toEqual([2]);
});

test('lines beyond the bound are dropped and counted, and none waits for them', async () => {
  const dropped: number[] = [];
  const { name, descriptor } = file('a');
  const sink = createLineSink(descriptor, (count) => dropped.push(count), means);
  const line = `${'x'.repeat(1024 * 1024 - 1)}\n`;
  for (let at = 0; at < 9; at += 1) sink.write(line);
  await sink.flush();
  expect(dropped).toEqual([1]);
  expect(readFileSync(name).length).toBe(8 * 1024 * 1024);
});

/** A sink whose time stands still and whose writes end when they are told to. */
function watched() {
  const clock = manualClock();
  const writes: { readonly text: string; readonly end: () => void }[] = [];
  const sink = createLineSink(1, () => expect.fail('nothing is dropped'), {
    clock,
    write: (_, bytes, at, done) => {
      const rest = bytes.subarray(at);
      writes.push({ text: rest.toString(), end: () => done(null, rest.length) });
    },
  });
  return { clock, sink, writes, texts: () => writes.map(({ text }) => text) };
}

/** What promises have to do is done. */
const settled = () => new Promise(setImmediate);

test('lines that come during a write wait as long as the first ones did, and go in one write', async () => {
  const { clock, sink, writes, texts } = watched();
  sink.write('one\n');
  sink.write('two\n');
  clock.advance(19);
  await settled();
  expect(texts()).toEqual([]);
  clock.advance(1);
  await settled();
  expect(texts()).toEqual(['one\ntwo\n']);
  sink.write('three\n');
  writes[0]?.end();
  await settled();
  clock.advance(19);
  await settled();
  expect(texts()).toEqual(['one\ntwo\n']);
  sink.write('four\n');
  clock.advance(1);
  await settled();
  expect(texts()).toEqual(['one\ntwo\n', 'three\nfour\n']);
});

test('a line in each of a thousand milliseconds makes a write in each twenty-first of them', async () => {
  const { clock, sink, writes } = watched();
  for (let at = 0; at < 1000; at += 1) {
    sink.write(`${at}\n`);
    await settled();
    clock.advance(1);
    // A write takes a millisecond, in which another line comes.
    const before = writes.length;
    await settled();
    if (before > 0) writes[before - 1]?.end();
    await settled();
  }
  expect(writes.length).toBe(Math.floor(1000 / 21));
});
