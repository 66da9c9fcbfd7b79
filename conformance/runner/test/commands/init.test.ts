import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { addAdapterCommand } from '../../commands/adapter.ts';
import { addInitCommand } from '../../commands/init.ts';
import { addRunCommand } from '../../commands/run.ts';
import { parseManifest } from '../../sut/manifest.ts';
import { missingPrograms } from '../../sut/requirements.ts';
import { packageRoot } from '../../values/package-root.ts';
import { collect } from '../support/conform.ts';
import { runHere } from '../support/run-here.ts';
import { workflowSchema } from '../support/workflow.ts';

const PACKAGE = path.join(packageRoot(), 'package.json');

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'conform-init-'));
});
afterEach(async () => rm(folder, { recursive: true }));

interface Said {
  readonly code: number | null;
  readonly text: string;
}

/** In this process, which goes to the folder meanwhile. */
async function conform(...words: readonly string[]): Promise<Said> {
  const before = process.cwd();
  process.chdir(folder);
  try {
    const { code, stdout, stderr } = await runHere(addCommands, ...words);
    return { code, text: stdout + stderr };
  } finally {
    process.chdir(before);
  }
}

async function conformAsProcess(...words: readonly string[]): Promise<Said> {
  const { code, stdout, stderr } = await collect(words, undefined, folder);
  return { code, text: stdout + stderr };
}

function addCommands(program: Command): void {
  for (const add of [addInitCommand, addAdapterCommand, addRunCommand]) add(program);
}

describe.each([
  ['python', 'python3', conform],
  ['typescript', 'node', conform],
  ['go', 'go', conform],
  ['shell', 'sh', conformAsProcess],
])('an adapter in %s', (language, program, call) => {
  test.skipIf(missingPrograms([program]).length > 0)(
    'follows the protocol as it is written',
    { timeout: 120_000 },
    async () => {
      const flags = ['--name', 'my proxy', '--way', 'adapter', '--language', language, '--command', 'sleep "{data}"'];
      expect(await call('init', ...flags)).toMatchObject({ code: 0 });
      const checked = await call('adapter', 'check', '--impl', 'conformance/implementation.yaml');
      expect(checked).toEqual({ code: 0, text: 'my proxy : operations none\nthe adapter follows the protocol\n' });
      // It is honest about what is left to do: nothing can be green.
      const judged = await call('run', 'routing.routes.redirect', '--impl', 'conformance/implementation.yaml');
      expect(judged.code).toBe(3);
      expect(judged.text).toContain('this adapter does not hand over a configuration yet');
    },
  );
});

test.each(['resources', 'adapter', 'kubernetes'])('the manifest of way %s is a good one', async (way) => {
  expect(
    await conform('init', '--name', "it's-not-bad".replace("'", ''), '--way', way, '--command', "./p '{dir}'"),
  ).toMatchObject({
    code: 0,
  });
  const file = path.join(folder, 'conformance/implementation.yaml');
  expect(parseManifest(await readFile(file, 'utf8'), file).run.kind).toBe(
    { resources: 'process', adapter: 'adapter', kubernetes: 'kubernetes' }[way],
  );
});

test('the CI file names the manifest, and can be left out', async () => {
  await conform('init', '--out', 'elsewhere');
  const workflow = await readFile(path.join(folder, '.github/workflows/conformance.yml'), 'utf8');
  const [job] = Object.values(workflowSchema.parse(parse(workflow)).jobs);
  const action = job?.steps.find(({ uses }) => uses === './node_modules/proxy-conformance');
  expect(action?.with).toEqual({ manifest: 'elsewhere/implementation.yaml' });
  const { files } = z.object({ files: z.array(z.string()) }).parse(JSON.parse(await readFile(PACKAGE, 'utf8')));
  expect(files).toContain('action.yml');
  expect(workflow).not.toContain('{{');
  await rm(path.join(folder, '.github'), { recursive: true });
  await conform('init', '--no-ci', '--out', 'third');
  expect(await readdir(folder)).toEqual(['elsewhere', 'third']);
});

test('nothing that is there is written over, and nothing is written beside it', async () => {
  await conform('init', '--no-ci');
  const again = await conform('init', '--way', 'resources');
  expect(again.code).toBe(2);
  expect(again.text).toContain('conformance/implementation.yaml, conformance/known-failures.yaml: there already');
  expect(await readdir(folder)).toEqual(['conformance']);
});

test.each([
  [['--way', 'resource'], 'did you mean resources?'],
  [['--language', 'rust'], 'rust is none of python, typescript, go, shell'],
  [['--name', 'a: b\n{'], 'letters, digits, blanks, dots and dashes'],
])('%s is a mistake of the user', async (words, message) => {
  const { code, text } = await conform('init', ...words);
  expect(code).toBe(2);
  expect(text).toContain(message);
});
