import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { reportSchema, type ReportFile } from '../report/report-schema.ts';
import { freePort } from '../sut/ports.ts';
import { packageRoot } from '../values/package-root.ts';
import { START_ROOM } from '../values/start-room.ts';
import { conformRun, tinyManifest } from './support/conform.ts';

const support = path.join(import.meta.dirname, 'support');
const main = path.join(packageRoot(), 'bin/conform.mjs');
let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'conform-attend-'));
  onTestFinished(() => rm(folder, { recursive: true }));
});

describe('conform run --wait-for-attach', { timeout: 60_000 }, () => {
  test('waits without a limit for whoever applies what it printed, and goes on when the canary answers', async () => {
    const port = await startTiny(path.join(folder, 'applied'));
    const run = begin(port, "config: { deliver: file, path: by-hand.yaml }, ready: { within: '1ms' }", [
      'good',
      'simple.route[one]',
    ]);
    for await (const line of run.lines) {
      if (line.includes('waiting until it answers'))
        await copyFile(path.join(folder, 'by-hand.yaml'), path.join(folder, 'applied/all.yaml'));
    }
    const report = await run.report();
    expect(report).toMatchObject({ attended: true, exitCode: 0, cases: [{ verdict: 'pass' }] });
    const said = run.said();
    for (const part of [
      `attached to http://127.0.0.1:${port}`,
      'case simple.route[one]',
      `revision 2, written to ${path.join(folder, 'by-hand.yaml')}:\n---\n`,
      'kind: HTTPRoute',
      'revision 2: it answers',
      'step call (http): no limit',
    ])
      expect(said).toContain(part);
    expect(said).toMatch(/^peer {3}up http:\/\/127\.0\.0\.1:\d+$/m);
  });

  test('goes on with Enter, also where an answer never comes: that is a timeout as ever', async () => {
    const hanging = createServer(() => run.enter()).listen(0, '127.0.0.1');
    await once(hanging, 'listening');
    onTestFinished(() => {
      hanging.closeAllConnections();
      hanging.close();
    });
    const address = hanging.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const run = begin(port, 'config: { deliver: file, path: by-hand.yaml }, ready: { canary: no }', ['hanging']);
    for await (const line of run.lines) if (line.includes('press Enter when it is live')) run.enter();
    const { cases, exitCode } = await run.report();
    expect(cases).toMatchObject([{ verdict: 'fail' }]);
    expect(cases[0]?.reason).toMatch(/expected a complete answer, got "?timeout/);
    expect(exitCode).toBe(1);
    expect(run.said()).toContain('revision 2: taken for live');
  });

  test('ends with Ctrl-C while it waits', async () => {
    const run = begin(await freePort(), 'config: { deliver: file, path: by-hand.yaml }', ['good']);
    for await (const line of run.lines) if (line.includes('waiting until it answers')) run.interrupt();
    const { cases, cutShort, exitCode } = await run.report();
    expect([cases, cutShort, exitCode]).toEqual([[], 'interrupted by SIGINT', 3]);
  });

  test('is a mistake for an implementation that the suite starts itself', async () => {
    const { code, stderr } = await conformRun(tinyManifest('none'), 'good', ['--wait-for-attach']);
    expect(stderr).toMatch(/implementation\.yaml: --wait-for-attach is for run\.kind url, .*, not process\n$/);
    expect(code).toBe(2);
  });
});

/** The tiny implementation, which somebody else runs. */
async function startTiny(reads: string): Promise<number> {
  await mkdir(reads);
  const port = await freePort();
  const words = [path.join(support, 'tiny-sut.mjs'), reads, String(port), 'none'];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  await once(child.stdout, 'data');
  return port;
}

interface AttendedRun {
  /** What it tells the attendant, as it comes. */
  readonly lines: AsyncIterable<string>;
  readonly said: () => string;
  readonly enter: () => void;
  readonly interrupt: () => void;
  readonly report: () => Promise<ReportFile>;
}

/** Steps and configurations would be late after a millisecond, if there were limits. */
function begin(port: number, run: string, [cases = '', ...patterns]: readonly string[]): AttendedRun {
  const manifest = path.join(folder, 'implementation.yaml');
  const out = path.join(folder, 'out');
  const flags = ['--impl', manifest, '--cases', path.join(support, 'cases', cases), '--out', out, '--wait-for-attach'];
  let said = '';
  let child: ChildProcessByStdio<Writable, null, Readable> | undefined;
  async function* lines(): AsyncIterable<string> {
    await writeFile(manifest, manifestText(port, run));
    child = spawn(process.execPath, [...START_ROOM, main, 'run', ...patterns, ...flags], {
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    onTestFinished(() => void child?.kill('SIGKILL'));
    for await (const line of createInterface({ input: child.stderr })) {
      said += `${line}\n`;
      yield line;
    }
  }
  return {
    lines: lines(),
    said: () => said,
    enter: () => void child?.stdin.write('\n'),
    interrupt: () => void child?.kill('SIGINT'),
    report: async () => reportSchema.parse(JSON.parse(await readFile(path.join(out, 'report.json'), 'utf8'))),
  };
}

function manifestText(port: number, run: string): string {
  return `contract: 1
implementation: { name: tiny }
run: { kind: url, ${run} }
endpoints: { data: 'http://127.0.0.1:${port}' }
features: { core.http: yes }
tune: { timeout: '1ms' }
`;
}
