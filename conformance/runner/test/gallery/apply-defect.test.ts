import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSources } from '../../gallery/declarations.ts';
import { locateEdits } from '../../gallery/locate-edits.ts';
import { packageRoot } from '../../values/package-root.ts';

const HOOK = pathToFileURL(path.join(packageRoot(), 'conformance/gallery/apply-defect.mjs')).href;
const EDITS = [{ in: 'double', find: 'value * 2', replace: 'value * factor()', import: ['factor'] }];
let root = '';

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'conform-move-'));
  await mkdir(path.join(root, 'reference-impl/numbers'), { recursive: true });
  await write('double.ts', 'export function double(value: number): number {\n  return value * 2;\n}\n');
  await write('factor.ts', 'export const other: number = 2;\nexport const factor = (): number => 3;\n');
});

afterEach(async () => rm(root, { recursive: true, force: true }));

test('a defect breaks the program that loads its file, wherever the file is', async () => {
  expect(await answer('double.ts', [])).toBe('42\n');
  expect(await answer('double.ts')).toBe('63\n');
  await rename(path.join(root, 'reference-impl/double.ts'), path.join(root, 'reference-impl/numbers/twice.ts'));
  expect(await answer('numbers/twice.ts')).toBe('63\n');
});

test('a file that changed after the places were looked up ends the program', async () => {
  const edits = await located(EDITS);
  await write('double.ts', '// one line more\nexport const double = (value: number): number => value * 2;\n');
  await expect(program('double.ts', edits)).rejects.toThrow('double.ts was changed');
});

async function answer(file: string, edits = EDITS): Promise<string> {
  return program(file, await located(edits));
}

/** What a program prints that doubles 21, with the hook loaded. */
async function program(file: string, defect: string): Promise<string> {
  const code = `import { double } from ${JSON.stringify(pathToFileURL(path.join(root, 'reference-impl', file)).href)}; console.log(double(21));`;
  const options = ['--import', HOOK, '--input-type=module', '--eval', code];
  const { stdout } = await promisify(execFile)(process.execPath, options, { env: { CONFORM_DEFECT: defect } });
  return stdout;
}

async function located(edits: typeof EDITS): Promise<string> {
  const { replacements, problems } = locateEdits(edits, await readSources(root));
  expect(problems).toEqual([]);
  const file = path.join(root, 'defect.json');
  await writeFile(file, JSON.stringify({ root, replacements }));
  return file;
}

async function write(file: string, text: string): Promise<void> {
  await writeFile(path.join(root, 'reference-impl', file), text);
}
