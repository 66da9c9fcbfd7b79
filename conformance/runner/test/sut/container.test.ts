import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { loadTestcontainers } from '../../sut/container/testcontainers.ts';
import { packageRoot } from '../../values/package-root.ts';
import { conformRun } from '../support/conform.ts';

const support = path.join(import.meta.dirname, '../support');
const main = path.join(packageRoot(), 'bin/conform.mjs');
const run = promisify(execFile);
const docker = async (args: readonly string[]): Promise<string> => (await run('docker', args)).stdout;
const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`no tests of run.kind container: ${missing}`);

/** A file system of nothing: everything that runs in it is mounted, so that nothing has to be pulled. */
const IMAGE = `conform-test-nothing:${process.pid}`;
const SYSTEM = ['/usr', '/lib', '/lib64', path.dirname(process.execPath), packageRoot()];

function manifest(behaviour: string, more: { readonly image?: string; readonly requires?: string } = {}): string {
  const { image = IMAGE } = more;
  const mounts = [...new Set(SYSTEM)].map((folder) => `${folder}:${folder}:ro`);
  const command = [process.execPath, path.join(support, 'tiny-sut.mjs'), '{{dir}}', '{{port.data}}', behaviour];
  return `contract: 1
implementation: { name: tiny, version: 0.0.0 }
run:
  kind: container
  image: ${JSON.stringify(image)}
  command: ${JSON.stringify(command)}
  mounts: ${JSON.stringify(mounts)}
  ready: { within: 20s }
  stop: { within: 300ms }
features: { core.http: yes }
`;
}

describe.skipIf(missing !== undefined)('run.kind container', { timeout: 120_000 }, () => {
  beforeAll(() => {
    execFileSync('docker', ['import', '-', IMAGE], { input: Buffer.alloc(10_240) });
  });
  afterAll(async () => {
    await docker(['rmi', '--force', IMAGE]);
  });

  test('cases pass against a container, and nothing of it is left', async () => {
    const ran = await conformRun(manifest('ignore-term'), 'good', ['simple.*']);
    expect(ran.stderr).toBe('');
    expect(ran.code).toBe(0);
    expect(ran.report?.cases.filter(({ verdict }) => verdict === 'pass')).toHaveLength(3);
    expect(await containers()).toBe('');
  });

  test('what it prints is its log, and its end is told with its exit code', async () => {
    const ran = await conformRun(manifest('exit-at-start'), 'good', ['simple.route*']);
    expect(ran.code).toBe(3);
    expect(ran.stdout).toContain('the implementation exited with code 1');
    expect(ran.stdout).toContain('it does not want to start');
    expect(await containers()).toBe('');
  });

  test('an image that nobody has is one sentence', async () => {
    const image = 'localhost:9/conform-test-nobody:none';
    const ran = await conformRun(manifest('none', { image }), 'good', ['simple.route*']);
    expect(ran.code).toBe(3);
    expect(ran.stdout).toContain(`no container of ${image}: `);
  });

  test('a runner that is killed leaves no container', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'conform-killed-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = path.join(folder, 'implementation.yaml');
    await writeFile(file, manifest('ignore-term'));
    const flags = ['up', 'simple.route[one]', '--impl', file, '--cases', path.join(support, 'cases/good')];
    const runner = spawn(process.execPath, [main, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void runner.kill('SIGKILL'));
    const socket = connect(await dataPort(runner.stdout), '127.0.0.1');
    await once(socket, 'connect');
    const id = await containers();
    expect(id).not.toBe('');
    const filter = ['--filter', `container=${id}`, '--filter', 'event=destroy'];
    const events = spawn('docker', ['events', '--since', '5m', ...filter], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void events.kill());
    runner.kill('SIGKILL');
    await once(events.stdout, 'data');
    expect(await containers()).toBe('');
  });
});

/** Ids of the containers of the image of this test. */
async function containers(): Promise<string> {
  return (await docker(['ps', '--all', '--quiet', '--filter', `ancestor=${IMAGE}`])).trim();
}

async function dataPort(stdout: NodeJS.ReadableStream): Promise<number> {
  for await (const line of createInterface({ input: stdout })) {
    const port = /^data {3}http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error('conform up ended without a data endpoint');
}

async function whatIsMissing(): Promise<string | undefined> {
  if ((await loadTestcontainers(packageRoot())) === undefined) return 'the package testcontainers is not installed';
  const engine = await docker(['version']).then(
    () => true,
    () => false,
  );
  return engine ? undefined : 'no container engine answers';
}
