import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { runCrds } from '../../cli/crds/run-crds.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'crds-'));
afterAll(() => {
  rmSync(FOLDER, { recursive: true, force: true });
});

const NAMES = ['proxybackends', 'proxymodels', 'proxyparameters', 'proxypolicies'];

/** What is published of one; that it is fresh and what it says is tested in resources/crds.test.ts. */
function checkedIn(name: string): string {
  return readFileSync(`reference-impl/crds/${name}.yaml`, 'utf8');
}

test('prints every definition as one stream of documents', () => {
  const output = new PassThrough();
  expect(runCrds({}, output, new PassThrough())).toBe(0);
  expect(String(output.read()).split(/^---\n/m)).toEqual(NAMES.map(checkedIn));
});

test('writes one file per definition, and one schema per kind', () => {
  const folders = { output: join(FOLDER, 'crds'), schemas: join(FOLDER, 'schemas') };
  expect(runCrds(folders, new PassThrough(), new PassThrough())).toBe(0);
  expect(readdirSync(folders.output)).toEqual(NAMES.map((name) => `${name}.yaml`));
  expect(NAMES.map((name) => readFileSync(join(folders.output, `${name}.yaml`), 'utf8'))).toEqual(NAMES.map(checkedIn));
  expect(readdirSync(folders.schemas)).toContain('HTTPRoute.schema.json');
});

test('a folder that cannot be written is said, with exit code 2', () => {
  const problems = new PassThrough();
  expect(runCrds({ output: join(FOLDER, 'crds', 'proxymodels.yaml', 'x') }, new PassThrough(), problems)).toBe(2);
  expect(String(problems.read())).toMatch(/^crds: ENOTDIR/);
});
