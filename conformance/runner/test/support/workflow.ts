// Runs the steps of GitHub workflows and composite actions as a runner does that has nothing but a shell: `run` is a script of bash, `uses: ./…` an
// action below the workspace or of this package, and the actions of others are left out, each by its name.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const step = z.strictObject({
  name: z.string().optional(),
  id: z.string().optional(),
  if: z.string().optional(),
  uses: z.string().optional(),
  with: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  shell: z.literal('bash').optional(),
  env: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  run: z.string().optional(),
});
type Step = z.infer<typeof step>;

const words = z.union([z.string(), z.array(z.string())]);

/** A workflow, with nothing in it that GitHub would not know. */
export const workflowSchema = z.strictObject({
  name: z.string(),
  on: z.union([words, z.record(z.string(), z.unknown())]),
  permissions: z.record(z.string(), z.enum(['read', 'write', 'none'])).optional(),
  env: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  jobs: z.record(
    z.string(),
    z.strictObject({
      name: z.string().optional(),
      'runs-on': z.string(),
      'timeout-minutes': z.number().optional(),
      needs: words.optional(),
      if: z.string().optional(),
      strategy: z
        .strictObject({ 'fail-fast': z.boolean().optional(), matrix: z.record(z.string(), z.array(z.unknown())) })
        .optional(),
      steps: z.array(step),
    }),
  ),
});

/** A composite action, with nothing in it that GitHub would not know. */
export const actionSchema = z.strictObject({
  name: z.string(),
  description: z.string(),
  inputs: z.record(
    z.string(),
    z.strictObject({ description: z.string(), default: z.string().optional(), required: z.boolean().optional() }),
  ),
  outputs: z.record(z.string(), z.strictObject({ description: z.string(), value: z.string() })),
  runs: z.strictObject({
    using: z.literal('composite'),
    // A step of an action that runs something has to name its shell.
    steps: z.array(step.refine((one) => one.run === undefined || one.shell !== undefined, 'needs a shell')),
  }),
});

/** What came of steps. */
export interface Ran {
  /** 0, or that of the first step that failed. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What was written for people. */
  readonly summary: string;
  readonly outputs: Readonly<Record<string, string>>;
  /** Actions of others that were left out. */
  readonly leftOut: readonly string[];
}

/** Where steps run and what their expressions know: `matrix.shard`, `github.run_number`. */
export interface Place {
  readonly workspace: string;
  readonly known?: Readonly<Record<string, string>>;
  /** Folder of the action for every `uses: ./…`. */
  readonly action?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the steps of a job; after one has failed only those with `if: always()`. */
export async function runSteps(steps: readonly Step[], place: Place): Promise<Ran> {
  let all: Ran = { code: 0, stdout: '', stderr: '', summary: '', outputs: {}, leftOut: [] };
  let known = place.known ?? {};
  for (const one of steps) {
    if (all.code !== 0 && one.if !== 'always()') continue;
    const ran = await runStep(one, { ...place, known });
    const outputs = Object.entries(ran.outputs).map(
      ([name, value]) => [`steps.${one.id ?? ''}.outputs.${name}`, value] as const,
    );
    known = { ...known, ...Object.fromEntries(outputs) };
    all = {
      code: all.code === 0 ? ran.code : all.code,
      stdout: all.stdout + ran.stdout,
      stderr: all.stderr + ran.stderr,
      summary: all.summary + ran.summary,
      outputs: { ...all.outputs, ...ran.outputs },
      leftOut: [...all.leftOut, ...ran.leftOut],
    };
  }
  return all;
}

/** Runs `action.yml` of a folder with these inputs. */
export async function runAction(folder: string, inputs: Readonly<Record<string, string>>, place: Place): Promise<Ran> {
  const action = actionSchema.parse(parse(await readFile(path.join(folder, 'action.yml'), 'utf8')));
  const unknown = Object.keys(inputs).find((name) => !Object.hasOwn(action.inputs, name));
  if (unknown !== undefined) throw new Error(`the action has no input ${unknown}`);
  const known = Object.fromEntries(
    Object.entries(action.inputs).map(([name, { default: usual = '' }]) => [`inputs.${name}`, inputs[name] ?? usual]),
  );
  return runSteps(action.runs.steps, { ...place, known, env: { ...place.env, GITHUB_ACTION_PATH: folder } });
}

async function runStep(one: Step, place: Place): Promise<Ran> {
  const { known = {}, action = '' } = place;
  const filled = (text: string | number | boolean): string => fill(String(text), known);
  if (one.uses?.startsWith('./') === true) {
    const inputs = Object.fromEntries(Object.entries(one.with ?? {}).map(([name, value]) => [name, filled(value)]));
    return runAction(action, inputs, place);
  }
  if (one.run === undefined)
    return { code: 0, stdout: '', stderr: '', summary: '', outputs: {}, leftOut: [one.uses ?? ''] };
  const env = Object.fromEntries(Object.entries(one.env ?? {}).map(([name, value]) => [name, filled(value)]));
  return runScript(filled(one.run), { ...place, env: { ...place.env, ...env } });
}

/** As the runner does it: the script is a file, and the first command that fails ends it. */
async function runScript(script: string, { workspace, env }: Place): Promise<Ran> {
  const folder = await mkdtemp(path.join(tmpdir(), 'workflow-step-'));
  try {
    const [file, summary, output] = ['step.sh', 'summary.md', 'output'].map((name) => path.join(folder, name));
    for (const [name, text] of [
      [file, script],
      [summary, ''],
      [output, ''],
    ] as const)
      await writeFile(name ?? '', text);
    const child = spawn('bash', ['--noprofile', '--norc', '-e', '-o', 'pipefail', file ?? ''], {
      cwd: workspace,
      env: { ...process.env, CI: 'true', GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: output, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr, code] = await Promise.all([
      textOf(child.stdout),
      textOf(child.stderr),
      new Promise<number>((resolve) => child.once('close', (ended) => resolve(ended ?? 1))),
    ]);
    const lines = (await readFile(output ?? '', 'utf8')).split('\n').filter((line) => line !== '');
    return {
      code,
      stdout,
      stderr,
      summary: await readFile(summary ?? '', 'utf8'),
      outputs: Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
      ),
      leftOut: [],
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const part of stream) text += String(part);
  return text;
}

/** Only names are looked up: whatever else an expression can do needs GitHub. */
function fill(text: string, known: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{\{\s*([\w.-]+)\s*\}\}/g, (expression, name: string) => {
    const value = known[name];
    if (value === undefined) throw new Error(`nobody knows ${expression}`);
    return value;
  });
}
