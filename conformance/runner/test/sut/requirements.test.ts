import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { missingPrograms } from '../../sut/requirements.ts';
import { conformRun, tinyManifest } from '../support/conform.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'requirements-'));
  await writeFile(path.join(folder, 'tool'), '#!/bin/sh\n');
  await chmod(path.join(folder, 'tool'), 0o755);
  await writeFile(path.join(folder, 'text'), 'not a program');
});

afterAll(async () => rm(folder, { recursive: true }));

test('a program is there when a folder of PATH has it as an executable file', () => {
  expect(missingPrograms(['tool', 'text', 'neither'], `/nowhere:${folder}`)).toEqual(['text', 'neither']);
  expect(missingPrograms(['tool'], '')).toEqual(['tool']);
  expect(missingPrograms([], '')).toEqual([]);
});

test(
  'without a required program every case is skipped with the reason, and the exit code is 0',
  { timeout: 30_000 },
  async () => {
    const manifest = tinyManifest('none').replace(
      'kind: process\n',
      'kind: process\n  requires: [no-such-program-here]\n',
    );
    const run = await conformRun(manifest, 'good', ['--repeat', '2']);
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/^skipped: this machine has no no-such-program-here$/m);
    expect(run.report?.summary).toMatchObject({ skipped: 8, pass: 0 });
  },
);
