import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { reportSchema } from '../report/report-schema.ts';
import { packageRoot } from '../values/package-root.ts';
import { tinyManifest } from './support/conform.ts';
import { runAction, type Ran } from './support/workflow.ts';

const cases = path.join(import.meta.dirname, 'support/cases');
let workspace = '';

beforeEach(async () => {
  workspace = await mkdtemp(path.join(tmpdir(), 'conform action-'));
  onTestFinished(() => rm(workspace, { recursive: true }));
  await writeFile(path.join(workspace, 'implementation.yaml'), tinyManifest('none'));
});

async function act(inputs: Readonly<Record<string, string>>, of = 'good'): Promise<Ran> {
  const all = { manifest: 'implementation.yaml', arguments: `--cases\n${path.join(cases, of)}\n`, ...inputs };
  return runAction(packageRoot(), all, { workspace });
}

describe('action.yml', { timeout: 180_000 }, () => {
  test('runs the suite: green is 0, with a summary, outputs and the reports', async () => {
    const ran = await act({ cases: 'simple.route*  simple.reload', seed: '7', out: 'a report' });
    expect(ran.stderr).toBe('');
    expect(ran.code).toBe(0);
    expect(ran.outputs).toEqual({ verdict: 'passed', passed: '3', failed: '0', report: 'a report' });
    expect(ran.summary).toContain('| simple | 3 |');
    const report = reportSchema.parse(JSON.parse(await readFile(path.join(workspace, 'a report/report.json'), 'utf8')));
    expect(report).toMatchObject({ seed: 7, cases: [{}, {}, {}] });
  });

  test('red cases stand at their lines, and the step fails', async () => {
    const ran = await act({}, 'failing');
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(
      /^::error file=\S+\/failing\/fail\.yaml,line=7,title=fail failing\.status::step call: status: expected 299, got 204$/m,
    );
    expect(ran.outputs).toMatchObject({ verdict: 'failed', passed: '0', failed: '3' });
    expect(ran.summary).toContain('| fail | `failing.status` |');
  });

  test('a shard is divided by the earlier report if there is one, and the first run has none', async () => {
    const first = await act({ shard: '1/1', durations: 'earlier/report.json', out: 'earlier' });
    const second = await act({ shard: '1/1', durations: 'earlier/report.json' });
    expect([first.code, second.code]).toEqual([0, 0]);
    const divisions = await Promise.all(
      ['earlier', 'conformance-report'].map(async (out) =>
        reportSchema.parse(JSON.parse(await readFile(path.join(workspace, out, 'report.json'), 'utf8'))),
      ),
    );
    expect(new Set(divisions.map(({ selection }) => selection?.division)).size).toBe(2);
  });

  test('what a workflow hands over is never a part of a script', async () => {
    const ran = await act({ cases: '$(touch pwned) `touch pwned` ;touch', manifest: 'implementation.yaml' });
    expect(ran.code).toBe(2);
    await expect(readFile(path.join(workspace, 'pwned'))).rejects.toThrow('ENOENT');
    expect(ran.stderr).toContain('no case matches $(touch, pwned)');
  });

  test('a mistake is told where people look', async () => {
    const ran = await act({ manifest: 'no-such.yaml' });
    expect(ran.code).toBe(2);
    expect(ran.outputs).toEqual({ verdict: 'usage' });
    expect(ran.stdout).toMatch(
      /^::error title=conform::not run to its end \(exit code 2\); the log of this step says why$/m,
    );
  });
});
