import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

/** A checkout in small: a command whose source says `source` and whose bundle says `bundle`. */
let root = '';
const source = (): string => path.join(root, 'reference-impl/main.ts');

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'bundle-'));
  cpSync('bin', path.join(root, 'bin'), { recursive: true });
  mkdirSync(path.join(root, 'reference-impl'));
  mkdirSync(path.join(root, '.cache/bundles/reference-impl'), { recursive: true });
  writeFileSync(source(), `console.log('source');\n`);
  writeFileSync(path.join(root, '.cache/bundles/reference-impl/main.mjs'), `console.log('bundle');\n`);
  const stamp = spawnSync(process.execPath, ['-p', `require('node:fs').statSync(${JSON.stringify(source())}).mtimeMs`]);
  writeBundle({ root, inputs: { 'reference-impl/main.ts': `${stamp.stdout.toString().trim()} 23` } });
});
afterEach(() => rmSync(root, { recursive: true }));

function writeBundle(said: object): void {
  const main = '.cache/bundles/reference-impl/main.mjs';
  writeFileSync(path.join(root, '.cache/bundles/reference-impl.json'), JSON.stringify({ main, ...said }));
}

function started(...options: readonly string[]): string {
  const { stdout, stderr } = spawnSync(process.execPath, [...options, path.join(root, 'bin/refproxy.mjs')]);
  return `${stdout.toString()}${stderr.toString()}`.trim();
}

describe('a command', () => {
  test('starts from its bundle while the sources are as they were', () => {
    expect(started()).toBe('bundle');
  });

  test.each([
    ['was changed', () => writeFileSync(source(), `console.log('source'); //\n`)],
    ['was written again', () => utimesSync(source(), 1, 1)],
  ])('starts from its sources when one of them %s', (_, change) => {
    change();
    expect(started()).toBe('source');
  });

  test('starts from its sources when one of them is gone, or another folder was bundled', () => {
    writeBundle({ root, inputs: { 'reference-impl/gone.ts': '1 1' } });
    expect(started()).toBe('source');
    writeBundle({ root: '/elsewhere', inputs: {} });
    expect(started()).toBe('source');
  });

  test('starts from its sources when there is no bundle, or half of its list', () => {
    writeFileSync(path.join(root, '.cache/bundles/reference-impl.json'), '{"main":');
    expect(started()).toBe('source');
    rmSync(path.join(root, '.cache'), { recursive: true });
    expect(started()).toBe('source');
  });

  test('starts from its sources when a hook may change them as they are loaded', () => {
    expect(started('--import', 'data:text/javascript,')).toBe('source');
  });
});
