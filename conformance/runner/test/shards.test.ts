import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { addListCommand } from '../commands/list.ts';
import { addReportCommand } from '../commands/report.ts';
import { addRunCommand } from '../commands/run.ts';
import { reportSchema, type ReportFile } from '../report/report-schema.ts';
import { collect, tinyManifest } from './support/conform.ts';
import { runHere } from './support/run-here.ts';

/** Of each colour some. */
const PATTERNS = ['routing.routes.path-kinds', 'routing.routes.header-filters', 'routing.routes.redirect'];
const ONE_CASE = 'routing.routes.redirect[host]';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'conform-shards-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(path.join(folder, 'tiny.yaml'), tinyManifest('none'));
});

describe('shards as processes of their own', { timeout: 120_000 }, () => {
  // The tiny implementation does little of it: there is something to see of every colour.
  test('come to the verdicts and the exit code of one whole run', async () => {
    const whole = await run('whole');
    expect(new Set(whole.cases.map(({ verdict }) => verdict))).toEqual(new Set(['pass', 'fail', 'unsupported']));
    const parts = [1, 2, 3].map((index) => `${index}/3`);
    const shards = await Promise.all(
      parts.map((shard) => run(`shard-${shard[0]}`, '--shard', shard, '--durations', path.join(folder, 'whole'))),
    );
    expect(shards.every(({ cases }) => cases.length < whole.cases.length)).toBe(true);
    expect(new Set(shards.map(({ seed }) => seed)).size).toBe(1);
    const merging = await merge('shard-1', 'shard-2', 'shard-3');
    const merged = await reportIn('merged');
    expect(judged(merged)).toEqual(judged(whole));
    expect(merged.exitCode).toBe(whole.exitCode);
    expect(merging.code).toBe(whole.exitCode);
    expect(await readFile(path.join(folder, 'merged/summary.md'), 'utf8')).toContain('| suite | pass | fail |');

    const poor = ['shard-1', 'shard-2', 'shard-3'].find((shard) => existsSync(path.join(folder, shard, 'failures')));
    await rm(path.join(folder, String(poor), 'failures'), { recursive: true });
    const poorer = await merge('shard-1', 'shard-2', 'shard-3');
    expect(poorer.stderr).toMatch(
      /^\S+shard-\d: lacks \d+ files that its report names, such as failures\/\S+; the rest is merged\n$/,
    );
    expect(poorer.code).toBe(whole.exitCode);
    expect(judged(await reportIn('merged'))).toEqual(judged(whole));

    await runInThisProcess('stranger', '--shard', '3/3', '--seed', '7', ONE_CASE);
    const refused = await merge('shard-1', 'shard-2', 'stranger');
    expect(refused.stderr).toMatch(
      /^\S+stranger: is of another run: its division of cases is \w+, and that of \S+shard-1 is \w+\n$/,
    );
    expect(refused.code).toBe(2);
  });

  test('may be more than there are cases: one without any is green', async () => {
    const listed = await runHere(addListCommand, 'list', ONE_CASE, '--shard', '1/2');
    const empty = listed.stdout.includes('0 cases') ? '1/2' : '2/2';
    const report = await runInThisProcess('empty', '--shard', empty, ONE_CASE);
    expect(report).toMatchObject({ cases: [], exitCode: 0, selection: { whole: false, shard: empty } });
  });

  test('are divided by durations only where they are shards', async () => {
    const { code, stderr } = await runHere(addListCommand, 'list', '--durations', folder);
    expect([code, stderr]).toEqual([2, '--durations divides shards: give --shard, too\n']);
  });
});

function judged({ cases }: ReportFile): readonly string[] {
  return cases.map(({ id, verdict }) => `${id} ${verdict}`);
}

/** A whole or a part of it, as a process of its own. */
async function run(out: string, ...args: readonly string[]): Promise<ReportFile> {
  const { stderr } = await collect(['run', ...PATTERNS, ...flagsFor(out), ...args]);
  expect(stderr).toBe('');
  return reportIn(out);
}

async function runInThisProcess(out: string, ...args: readonly string[]): Promise<ReportFile> {
  const { stderr } = await runHere(addRunCommand, 'run', ...flagsFor(out), ...args);
  expect(stderr).toBe('');
  return reportIn(out);
}

function flagsFor(out: string): readonly string[] {
  return ['--impl', path.join(folder, 'tiny.yaml'), '--out', path.join(folder, out), '--reporter', 'json'];
}

async function reportIn(out: string): Promise<ReportFile> {
  return reportSchema.parse(JSON.parse(await readFile(path.join(folder, out, 'report.json'), 'utf8')));
}

async function merge(...shards: readonly string[]): ReturnType<typeof runHere> {
  const places = shards.map((shard) => path.join(folder, shard));
  return runHere(addReportCommand, 'report', 'merge', ...places, '--out', path.join(folder, 'merged'));
}
