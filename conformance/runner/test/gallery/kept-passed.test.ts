import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { indexSources } from '../../gallery/declarations.ts';
import { readKeptPassed, type KeptPassed } from '../../gallery/kept-passed.ts';

const TEXTS = { 'a.ts': 'const a = 1;', 'b.ts': 'const b = 2;' };
let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'conform-passed-'));
  file = path.join(folder, 'gallery', 'passed.ndjson');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function read(texts: Readonly<Record<string, string>> = TEXTS): KeptPassed {
  return readKeptPassed(file, indexSources(new Map(Object.entries(texts))));
}

test('what was kept is read again', () => {
  const kept = read();
  expect(kept.of('one')).toBeUndefined();
  kept.keep('one', new Map([['a.ts', [0, 3, 5, 6]]]));
  kept.keep('none', new Map());
  for (const again of [kept, read()]) {
    expect(again.of('one')).toEqual([{ file: 'a.ts', places: [0, 3, 5, 6] }]);
    expect(again.of('none')).toEqual([]);
  }
});

test('a changed file forgets what came by it, and nothing else', () => {
  const kept = read();
  kept.keep('both', new Map(['a.ts', 'b.ts'].map((name) => [name, [0, 5]])));
  kept.keep('first', new Map([['a.ts', [0, 5]]]));
  const changed = read({ ...TEXTS, 'b.ts': 'const b = 3;' });
  expect(changed.of('both')).toBeUndefined();
  expect(changed.of('first')).toHaveLength(1);
  changed.keep('both', new Map([['a.ts', [0, 5]]]));
  expect(read({ ...TEXTS, 'b.ts': 'const b = 3;' }).of('both')).toEqual([{ file: 'a.ts', places: [0, 5] }]);
});

test('what is no source is not kept', () => {
  const kept = read();
  kept.keep('one', new Map([['built.js', [0, 5]]]));
  expect(kept.of('one')).toEqual([]);
});

test('half a line is what a killed run leaves: the next one goes on behind it', () => {
  read().keep('one', new Map([['a.ts', [0, 5]]]));
  appendFileSync(file, '{"key":"tw');
  read().keep('two', new Map([['a.ts', [0, 5]]]));
  expect(read().of('one')).toHaveLength(1);
  expect(read().of('two')).toHaveLength(1);
});
