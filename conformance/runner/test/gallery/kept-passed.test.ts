import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { indexSources } from '../../gallery/declarations.ts';
import { readKeptPassed, type KeptPassed } from '../../gallery/kept-passed.ts';
import { concreteCase } from '../support/concrete-case.ts';

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
  expect(kept.of(concreteCase('one'))).toBeUndefined();
  kept.keep(concreteCase('one'), new Map([['a.ts', [0, 3, 5, 6]]]));
  kept.keep(concreteCase('none'), new Map());
  for (const again of [kept, read()]) {
    expect(again.of(concreteCase('one'))).toEqual([{ file: 'a.ts', places: [0, 3, 5, 6] }]);
    expect(again.of(concreteCase('none'))).toEqual([]);
  }
});

test('a changed file forgets what came by it, and nothing else', () => {
  const kept = read();
  kept.keep(concreteCase('both'), new Map(['a.ts', 'b.ts'].map((name) => [name, [0, 5]])));
  kept.keep(concreteCase('first'), new Map([['a.ts', [0, 5]]]));
  const changed = read({ ...TEXTS, 'b.ts': 'const b = 3;' });
  expect(changed.of(concreteCase('both'))).toBeUndefined();
  expect(changed.of(concreteCase('first'))).toHaveLength(1);
  changed.keep(concreteCase('both'), new Map([['a.ts', [0, 5]]]));
  expect(read({ ...TEXTS, 'b.ts': 'const b = 3;' }).of(concreteCase('both'))).toEqual([
    { file: 'a.ts', places: [0, 5] },
  ]);
});

test('a case that says something else was not followed, wherever the one that was stands now', () => {
  read().keep(concreteCase('one'), new Map());
  expect(read().of(concreteCase('one', { at: ['cases', 7] }))).toEqual([]);
  expect(read().of(concreteCase('one', { config: [{}] }))).toBeUndefined();
});

test('what is no source is not kept', () => {
  const kept = read();
  kept.keep(concreteCase('one'), new Map([['built.js', [0, 5]]]));
  expect(kept.of(concreteCase('one'))).toEqual([]);
});

test('half a line is what a killed run leaves: the next one goes on behind it', () => {
  read().keep(concreteCase('one'), new Map([['a.ts', [0, 5]]]));
  appendFileSync(file, '{"key":"tw');
  read().keep(concreteCase('two'), new Map([['a.ts', [0, 5]]]));
  expect(read().of(concreteCase('one'))).toHaveLength(1);
  expect(read().of(concreteCase('two'))).toHaveLength(1);
});
