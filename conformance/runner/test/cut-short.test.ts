import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { readWholeReport } from '../report/read-report.ts';
import { freePort } from '../sut/ports.ts';
import { collect, tinyManifest, type Conform } from './support/conform.ts';

const support = path.join(import.meta.dirname, 'support');
let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'conform-cut-'));
  onTestFinished(() => rm(folder, { recursive: true }));
});

async function run(manifest: string, cases: string, ...args: readonly string[]): Promise<Omit<Conform, 'report'>> {
  const file = path.join(folder, 'implementation.yaml');
  await writeFile(file, manifest);
  const flags = ['--impl', file, '--cases', path.join(support, 'cases', cases), '--out', path.join(folder, 'out')];
  return collect(['run', ...flags, ...args]);
}

describe('what was judged is kept', { timeout: 120_000 }, () => {
  test('of an implementation that somebody else runs and that dies: the run ends soon and says so once', async () => {
    const port = await startTiny(path.join(folder, 'config'));
    const manifest = `contract: 1
implementation: { name: tiny }
run: { kind: url, config: { deliver: directory, path: ./config } }
endpoints: { data: 'http://127.0.0.1:${port}' }
features: { core.http: yes }
`;
    const ended = await run(manifest, 'crashing', '--repeat', '20', '--workers', '1');
    expect(ended.code).toBe(3);
    const said = `cut short: the implementation no longer listens at http://127.0.0.1:${port}`;
    expect(ended.stdout.split(said)).toHaveLength(2);
    const report = readWholeReport(path.join(folder, 'out'));
    expect(report.exitCode).toBe(3);
    expect(report.cases.length).toBeGreaterThan(0);
    expect(report.cases.length).toBeLessThan(40);
  });

  // /dev/full is a disk that is always full.
  test('on a disk that gets full: one sentence names what is missing, and the rest is whole', async () => {
    const out = path.join(folder, 'out');
    await mkdir(out);
    for (const name of ['report.json', 'report.html']) await symlink('/dev/full', path.join(out, name));
    const ended = await run(tinyManifest('none'), 'good');
    expect(ended.stderr).toBe(
      `${out}/report.json, ${out}/report.html: could not be written: the disk is full (ENOSPC); the other files are whole\n`,
    );
    expect(ended.code).toBe(3);
    expect((await readdir(out)).toSorted()).toEqual(['events.ndjson', 'junit.xml', 'summary.md']);
    expect(readWholeReport(out).summary).toMatchObject({ pass: 3, unsupported: 1 });
    expect(await readFile(path.join(out, 'junit.xml'), 'utf8')).toContain('</testsuites>');
  });
});

/** The tiny implementation, which ends itself when it is asked for /crash. */
async function startTiny(reads: string): Promise<number> {
  await mkdir(reads);
  const port = await freePort();
  const words = [path.join(support, 'tiny-sut.mjs'), reads, String(port), 'crash-on-request'];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  await once(child.stdout, 'data');
  return port;
}
