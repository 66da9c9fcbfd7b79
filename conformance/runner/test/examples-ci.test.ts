import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { addRunCommand } from '../commands/run.ts';
import { readWholeReport } from '../report/read-report.ts';
import { once } from '../values/once.ts';
import { packageRoot } from '../values/package-root.ts';
import { START_ROOM } from '../values/start-room.ts';
import { tinyManifest } from './support/conform.ts';
import { jobSchema, volumeClaimSchema, type Job } from './support/kubernetes-job.ts';
import { runHere } from './support/run-here.ts';
import { runSteps, workflowSchema, type Ran } from './support/workflow.ts';

const examples = path.join(packageRoot(), 'examples/ci');
const main = path.join(packageRoot(), 'bin/conform.mjs');
/** Four cases, one of which the tiny implementation fails. */
const CASES = 'routing.routes.path-kinds[prefix*';
let workspace = '';

beforeEach(async () => {
  workspace = await mkdtemp(path.join(tmpdir(), 'conform-ci-'));
  onTestFinished(() => rm(workspace, { recursive: true }));
  await mkdir(path.join(workspace, 'conformance'));
  await writeFile(path.join(workspace, 'conformance/implementation.yaml'), tinyManifest('none'));
  // What the image and the package put into PATH.
  const conform = `'${process.execPath}' ${START_ROOM.join(' ')} '${main}'`;
  await putProgram('conform', `exec ${conform} "$@"`);
  await putProgram('npx', `shift; exec ${conform} "$@"`);
  await putProgram('npm', 'echo "$@" >> npm.log');
});

describe('pods of an Indexed Job, as processes of this machine', { timeout: 300_000 }, () => {
  test('shards of the suite and their report', async () => {
    const whole = await wholeRun();
    const shards = await job('shards');
    const two = { ...shards, spec: { ...shards.spec, completions: 2 } };
    const ended = await runPods(two, { SHARDS: '2' });
    expect(codesOf(ended)).toEqual([0, 1]);
    const [merged] = await runPods(await job('merge'), {});
    expect(merged?.code).toBe(1);
    expect(judged('whole')).toEqual(whole);
    // The second run is divided by the first; that its parts are a whole again is shown in shards.test.ts.
    const before = readWholeReport(path.join(workspace, 'shard-0')).selection?.division;
    await runPods({ ...two, spec: { ...two.spec, completions: 1 } }, { SHARDS: '2' });
    expect(readWholeReport(path.join(workspace, 'shard-0')).selection?.division).not.toBe(before);
  });

  test('repeats of the suite, each in an order of its own', async () => {
    const repeats = await job('repeats');
    const ended = await runPods({ ...repeats, spec: { ...repeats.spec, completions: 2 } }, {});
    expect(ended.map(({ code }) => code)).toEqual([1, 1]);
    const seeds = [0, 1].map((index) => readWholeReport(path.join(workspace, `repeat-${index}`)).seed);
    expect(seeds).toEqual([1, 2]);
  });

  test('random policies', async () => {
    const impl = path.join(packageRoot(), 'reference-impl/implementation.yaml');
    const fuzz = await job('fuzz');
    const ended = await runPods(
      { ...fuzz, spec: { ...fuzz.spec, completions: 1 } },
      { FUZZ_TIME: '200ms', IMPL: impl },
    );
    expect(ended).toEqual([{ code: 0, stderr: '' }]);
  });

  test('find a place for their reports', async () => {
    const claims = await documents('reports');
    const [claim] = claims.map((one) => volumeClaimSchema.parse(one));
    for (const name of ['shards', 'merge', 'repeats', 'fuzz'])
      expect((await job(name)).spec.template.spec.volumes[0]?.persistentVolumeClaim.claimName).toBe(
        claim?.metadata.name,
      );
  });
});

describe('the jobs of a GitHub matrix, as processes of this machine', { timeout: 300_000 }, () => {
  test('shards of the suite and their report', async () => {
    const whole = await wholeRun();
    const { jobs } = await workflow();
    const shards = await runMatrix('shards');
    expect(codesOf(shards)).toEqual([0, 0, 0, 1]);
    expect(shards.every(({ outputs }) => outputs['verdict'] !== undefined)).toBe(true);
    const merged = await runSteps(jobs['whole']?.steps ?? [], place({}));
    expect(merged.code).toBe(1);
    expect(merged.summary).toContain('| suite | pass | fail |');
    expect(judged('last')).toEqual(whole);
    expect(await readFile(path.join(workspace, 'npm.log'), 'utf8')).toMatch(
      /^(?:install --no-save proxy-conformance@\S+\n){5}$/,
    );
  });

  test('repeats and random policies', async () => {
    // The second: its seed is made of the number of the run and of its own.
    const repeats = await runMatrix('repeats', 1, 2);
    expect(repeats.map(({ code }) => code)).toEqual([1]);
    expect(readWholeReport(path.join(workspace, 'repeat-1')).seed).toBe(71);
    // The tiny implementation offers nothing to ask about merging, and a search that judged nothing is not green.
    const fuzz = await runMatrix('fuzz', 0, 1);
    expect(fuzz.map(({ code, stdout }) => [code, /not offered/.test(stdout)])).toEqual([[3, true]]);
  });
});

/** Red parts last. */
function codesOf(ended: readonly { readonly code: number }[]): readonly number[] {
  return ended.map(({ code }) => code).toSorted((one, other) => one - other);
}

async function putProgram(name: string, script: string): Promise<void> {
  const file = path.join(workspace, 'bin', name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
}

function pathWithPrograms(): string {
  return `${path.join(workspace, 'bin')}:${process.env['PATH'] ?? ''}`;
}

/** The verdicts of one run of everything, which are the same whoever compares with them. */
const wholeRun = once(async (): Promise<readonly string[]> => {
  const out = path.join(workspace, 'at-once');
  const impl = path.join(workspace, 'conformance/implementation.yaml');
  await runHere(addRunCommand, 'run', CASES, '--impl', impl, '--out', out, '--reporter', 'json');
  return judged('at-once');
});

function judged(folder: string): readonly string[] {
  return readWholeReport(path.join(workspace, folder)).cases.map(({ id, verdict }) => `${id} ${verdict}`);
}

async function documents(name: string): Promise<readonly unknown[]> {
  const text = await readFile(path.join(examples, `${name}.yaml`), 'utf8');
  return parseAllDocuments(text).map(contentOf);
}

function contentOf(document: { readonly toJS: () => unknown }): unknown {
  return document.toJS();
}

async function job(name: string): Promise<Job> {
  const [only, ...more] = await documents(name);
  expect(more).toEqual([]);
  return jobSchema.parse(only);
}

/** Every pod at the same time, as the Job asks; `env` in the place of what the manifest says. */
async function runPods(
  { spec }: Job,
  env: Readonly<Record<string, string>>,
): Promise<readonly { readonly code: number; readonly stderr: string }[]> {
  const [container] = spec.template.spec.containers;
  const said = Object.fromEntries((container?.env ?? []).map(({ name, value = '' }) => [name, value]));
  const here = { IMPL: 'conformance/implementation.yaml', CASES, REPORTS: workspace, ...env };
  const [program = '', ...words] = [...(container?.command ?? []), ...(container?.args ?? [])];
  return Promise.all(
    Array.from({ length: spec.completions ?? 1 }, async (_, index) => {
      const child = spawn(program, words, {
        cwd: workspace,
        env: { ...process.env, PATH: pathWithPrograms(), ...said, ...here, JOB_COMPLETION_INDEX: String(index) },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let stderr = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => void (stderr += text));
      const code = await new Promise<number>((resolve) => child.once('close', (ended) => resolve(ended ?? 1)));
      return { code, stderr };
    }),
  );
}

async function workflow(): Promise<ReturnType<typeof workflowSchema.parse>> {
  const [only] = parseAllDocuments(await readFile(path.join(examples, 'matrix.yml'), 'utf8'));
  return workflowSchema.parse(only === undefined ? undefined : contentOf(only));
}

/** The steps of a job for each entry of its matrix, or some of them, at the same time. */
async function runMatrix(name: string, from = 0, to = Infinity): Promise<readonly Ran[]> {
  const { strategy, steps = [] } = (await workflow()).jobs[name] ?? {};
  const [[variable, values] = ['', []]] = Object.entries(strategy?.matrix ?? {});
  const known = { 'strategy.job-total': String(values.length) };
  return Promise.all(
    values.slice(from, to).map((value) => runSteps(steps, place({ ...known, [`matrix.${variable}`]: String(value) }))),
  );
}

function place(known: Readonly<Record<string, string>>): Parameters<typeof runSteps>[1] {
  return {
    workspace,
    action: packageRoot(),
    known: { 'github.run_number': '7', 'env.CASES': CASES, ...known },
    env: { PATH: pathWithPrograms(), FUZZ_TIME: '200ms' },
  };
}
