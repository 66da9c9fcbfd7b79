import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { addRunCommand } from '../../commands/run.ts';
import { reportSchema, type ReportFile } from '../../report/report-schema.ts';
import { packageRoot } from '../../values/package-root.ts';
import { START_ROOM } from '../../values/start-room.ts';
import { runHere } from './run-here.ts';

const support = import.meta.dirname;
/** From the bundle that `npm ci` made, while the sources are as they were then: it starts with half the work. */
const main = path.join(packageRoot(), 'bin/conform.mjs');

/** What a `conform` process did. */
export interface Conform {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** report.json, if it was written; checked against its schema. */
  readonly report: ReportFile | undefined;
}

/** A manifest for the tiny implementation that behaves in a given way and declares these features; `more` is added to it. */
export function tinyManifest(behaviour: string, more = '', features: readonly string[] = ['core.http']): string {
  return `contract: 1
implementation: { name: tiny, version: 0.0.0 }
run:
  kind: process
  command: ['${process.execPath}', '${path.join(support, 'tiny-sut.mjs')}', '{{dir}}', '{{port.data}}', ${behaviour}]
  ready: { within: 4s }
  stop: { within: 300ms }
features: { ${features.map((name) => `${name}: yes`).join(', ')} }
${more}`;
}

/**
 * Runs `conform run` against a manifest text: in this process, which spares the start of another, or in one of its own where `onOutput` sees
 * standard output as it comes and may send a signal.
 */
export async function conformRun(
  manifest: string,
  cases: string,
  args: readonly string[] = [],
  onOutput?: (stdout: string, kill: (signal: NodeJS.Signals) => void) => void,
): Promise<Conform> {
  const folder = await mkdtemp(path.join(tmpdir(), 'conform-test-'));
  try {
    const file = path.join(folder, 'implementation.yaml');
    await writeFile(file, manifest);
    const flags = [
      'run',
      '--impl',
      file,
      '--cases',
      path.join(support, 'cases', cases),
      '--out',
      path.join(folder, 'out'),
      ...args,
    ];
    const ended = onOutput === undefined ? await runHere(addRunCommand, ...flags) : await collect(flags, onOutput);
    return { ...ended, report: await readReport(path.join(folder, 'out', 'report.json')) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs any `conform` command, in a folder of its own if there is one. */
export async function collect(
  args: readonly string[],
  onOutput?: (stdout: string, kill: (signal: NodeJS.Signals) => void) => void,
  cwd?: string,
): Promise<Omit<Conform, 'report'>> {
  const child = spawn(process.execPath, [...START_ROOM, main, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    onOutput?.(stdout, (signal) => void child.kill(signal));
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}

async function readReport(file: string): Promise<ReportFile | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : reportSchema.parse(JSON.parse(text));
}
