import { fork } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openCache, type Cache } from '../../values/cache.ts';
import { wallClock } from '../../values/wall-clock.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'conform-cache-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const DAY_MS = 86_400_000;

function open(kind = 'kind', bytes = 1_000_000, sweepMs = 0): Cache {
  return openCache(kind, { folder, bytes, ageMs: 30 * DAY_MS, sweepMs });
}

function files(): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name !== 'swept')
    .toSorted();
}

function age(name: string, days: number): void {
  const seconds = wallClock() / 1000 - days * 86_400;
  utimesSync(path.join(folder, name), seconds, seconds);
}

describe('what is kept', () => {
  test('is found again under the same texts, and under no others', () => {
    open().keep({ a: [1, null, 'x'] }, 'program', 'text');
    expect(open().recall('program', 'text')).toEqual({ value: { a: [1, null, 'x'] } });
    expect(open().recall('program 2', 'text')).toBeUndefined();
    expect(open().recall('program', 'text 2')).toBeUndefined();
    expect(open().recall('programtext')).toBeUndefined();
    expect(open('other').recall('program', 'text')).toBeUndefined();
  });

  test.each([[{ at: Infinity }], [{ at: undefined }], [new Map([[1, 2]])]])('is never half of %o', (value) => {
    open().keep(value, 'text');
    expect(files()).toEqual([]);
  });
});

describe('an entry that cannot be trusted is none:', () => {
  test.each<[string, (content: string) => string]>([
    ['cut short', (content) => content.slice(0, -3)],
    ['empty', () => ''],
    ['changed', (content) => content.replace('right', 'wrong')],
    ['of another program', () => '{"value": "wrong"}'],
  ])('%s', (_, damage) => {
    open().keep('right', 'text');
    const [name = ''] = files();
    const file = path.join(folder, name);
    writeFileSync(file, damage(readFileSync(file, 'utf8')));
    expect(open().recall('text')).toBeUndefined();
    open().keep('right', 'text');
    expect(open().recall('text')).toEqual({ value: 'right' });
  });
});

describe('a folder stays within its bounds:', () => {
  test('what nobody used for long goes, and drafts that were left behind', () => {
    open().keep('old', 'old');
    const [old = ''] = files();
    age(old, 31);
    writeFileSync(path.join(folder, 'kind-1.json.x.draft'), 'half');
    age('kind-1.json.x.draft', 1);
    open().keep('new', 'new');
    expect(open().recall('old')).toBeUndefined();
    expect(open().recall('new')).toEqual({ value: 'new' });
    expect(files()).toHaveLength(1);
  });

  test('what was used today does not count as old', () => {
    open().keep('old', 'old');
    const [old = ''] = files();
    age(old, 29);
    open().recall('old');
    open().keep('new', 'new');
    expect(open().recall('old')).toEqual({ value: 'old' });
  });

  test('when there is too much, the least recently used goes first', () => {
    const seen = new Set<string>();
    for (const name of ['a', 'b', 'c']) {
      open().keep('x'.repeat(1000), name);
      const added = files().find((file) => !seen.has(file)) ?? '';
      seen.add(added);
      age(added, { a: 1, b: 3, c: 2 }[name] ?? 0);
    }
    open('kind', 3500).keep('x'.repeat(1000), 'd');
    expect(['a', 'b', 'c', 'd'].map((name) => open().recall(name) !== undefined)).toEqual([true, false, true, true]);
  });

  test('which are looked at again when the time since the last look is over', () => {
    open().keep('old', 'old');
    const [old = ''] = files();
    age(old, 31);
    open('kind', 1_000_000, DAY_MS).keep('new', 'new');
    expect(files()).toHaveLength(2);
    age('swept', 2);
    open('kind', 1_000_000, DAY_MS).keep('newer', 'newer');
    expect(files()).not.toContain(old);
    expect(files()).toHaveLength(2);
  });
});

test('a folder that cannot be made or read is as good as an empty one', () => {
  const file = path.join(folder, 'file');
  writeFileSync(file, '');
  const cache = openCache('kind', { folder: path.join(file, 'below'), bytes: 1, ageMs: 1, sweepMs: 0 });
  cache.keep('value', 'text');
  expect(cache.recall('text')).toBeUndefined();
});

test('several processes write the same entries at once, and none of them ever reads half of one', async () => {
  const program = path.join(import.meta.dirname, '../support/cache-writer.ts');
  const codes = await Promise.all(
    Array.from(
      { length: 4 },
      async () =>
        new Promise<number | null>((resolve) => {
          fork(program, [folder], { execArgv: [] }).once('exit', resolve);
        }),
    ),
  );
  expect(codes).toEqual([0, 0, 0, 0]);
  expect(files().filter((name) => name.endsWith('.draft'))).toEqual([]);
});
