import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { RunEnd, ReporterOptions } from '../../report/events.ts';
import { failureText } from '../../report/failure-text.ts';
import { reportFile } from '../../report/report-file.ts';
import { reportSchema, reportSchemaText } from '../../report/report-schema.ts';
import { reporterKinds } from '../../report/registry.ts';
import { progressLine } from '../../report/reporters/console.ts';
import { junitXml } from '../../report/reporters/junit.ts';
import { markdownText } from '../../report/reporters/markdown.ts';
import { summarize } from '../../report/summary.ts';
import { packageRoot } from '../../values/package-root.ts';
import { caseResult } from '../support/concrete-case.ts';

const failed = caseResult('b.failed', 'fail', {
  reason: 'step call: status: expected 200, got 500',
  checks: [{ at: [], what: 'step call: status', ok: false, expected: '200', actual: '500' }],
  controls: [{ at: [], what: 'step control: status', ok: true, expected: '200', actual: '200' }],
  witnesses: [{ at: [], what: 'received.up', ok: true, expected: 'something', actual: '1 entries' }],
  ledgers: { up: ['GET /a'] },
  timeline: [{ atMs: 0.5, who: 'client', what: '> GET /a' }],
  curl: ["curl -H 'Host: x' 'http://127.0.0.1:1/a'"],
  logs: ['it said something'],
});
const results = [
  failed,
  caseResult('a.passed', 'pass'),
  caseResult('c.hostile', 'error', { reason: '<&"\u0000\u001B[2J|', fault: 'harness' }),
];

const end: RunEnd = {
  time: {
    stretch: 1,
    overtimes: 0,
    waitedMs: 1000,
    countedMs: 1000,
    lostMs: { runner: 0, programs: 0, machine: 0, heartbeat: 0 },
  },
  implementation: { name: 'tiny', version: '1.0' },
  manifest: 'implementation.yaml',
  seed: 7,
  total: 3,
  workers: 2,
  results,
  durationMs: 1234.5,
  summary: summarize(results),
  exitCode: 1,
  crashes: 0,
};
const context = {
  clause: (): { statement: string; source: string } => ({ statement: 'It is so.', source: 'TRC line 7' }),
  again: '',
};

test('a failure says which clause, where, what, what else was seen, and how to see it again', () => {
  expect(failureText(failed, context)).toMatchInlineSnapshot(`
    "FAIL  b.failed   wire, 1.5 ms
          Something is so
      clause    TRACE-001 (positive)  TRC line 7
                "It is so."
      conformance/cases/a.yaml:3:5
        3 |     status: 200
          |     ^ step call: status: expected 200, got 500
      control   1 checks ok
      witness   received.up  1 entries  ok
      ledger    up  got [GET /a]
      timeline  (ms)
         0.5  client   > GET /a
      last lines of the implementation
          it said something
      again     conform run 'b.failed'
      by hand   conform up 'b.failed'
      outside   curl -H 'Host: x' 'http://127.0.0.1:1/a'"
  `);
});

test('report.json fits its schema, counts every verdict and is ordered by id', () => {
  const report = reportFile(end);
  expect(reportSchema.parse(report)).toEqual(report);
  expect(report.cases.map(({ id }) => id)).toEqual(['a.passed', 'b.failed', 'c.hostile']);
  expect(report.summary).toEqual({
    pass: 1,
    fail: 1,
    inconclusive: 0,
    unsupported: 0,
    known: 0,
    stale: 0,
    error: 1,
    skipped: 0,
    observe: 0,
  });
  expect(report.cases[1]?.failures).toEqual([{ what: 'step call: status', line: 3, expected: '200', actual: '500' }]);
});

test('the published schema of report.json is fresh', async () => {
  expect(await readFile(path.join(packageRoot(), 'schemas/report.schema.json'), 'utf8')).toBe(reportSchemaText());
  expect(z.record(z.string(), z.unknown()).parse(JSON.parse(reportSchemaText()))).toHaveProperty('properties.cases');
});

test('JUnit counts by kind and survives hostile text', () => {
  const xml = junitXml(end, context);
  expect(xml).toContain('<testsuite name="suite.one" tests="3" failures="1" errors="1" skipped="0">');
  expect(xml).toContain('message="error: &lt;&amp;&quot;\uFFFD\uFFFD[2J|"');
  expect(xml).not.toMatch(/[^\P{Cc}\t\n\r]/u);
});

test('Markdown has a row per suite and a row per problem', () => {
  const text = markdownText(end);
  expect(text).toContain('| suite | pass | fail | error |');
  expect(text).toContain('| suite.one | 1 | 1 | 1 |');
  expect(text).toContain('| fail | `b.failed` | TRACE-001 | step call: status: expected 200, got 500 |');
  expect(text).toContain('\\|');
});

test('progress shows done, rate and time left', () => {
  expect(progressLine(50, { ...end, total: 150 }, 500)).toBe('50/150  100 cases/s  1 s left');
});

function written(terminal: boolean): string {
  let text = '';
  const options: ReporterOptions = {
    ...context,
    out: 'out',
    write: (part) => void (text += part),
    terminal,
    columns: 80,
    verbose: false,
  };
  const reporter = reporterKinds['console']?.create(options);
  reporter?.started?.(end);
  for (const [index, result] of results.entries()) reporter?.finished?.(result, index + 1);
  void reporter?.ended({ ...end, cutShort: 'interrupted by SIGINT' });
  return text;
}

describe('the console', () => {
  test('prints failures as they happen and the end in plain lines', () => {
    const text = written(false);
    expect(text).toMatch(/^tiny 1\.0 · 3 cases · seed 7 · 2 workers\nFAIL {2}b\.failed/);
    expect(text).toContain('cut short: interrupted by SIGINT (3 of 3 cases have a verdict)\n');
    expect(text).toContain('1 pass, 1 fail, 1 error in 1.2 s (2 cases/s), seed 7\n');
    expect(text).not.toContain('\r');
  });

  test('draws one live line on a terminal and takes it away again', () => {
    const text = written(true);
    expect(text).toMatch(/1\/3 {2}.*left/);
    expect(text).toContain('left\r\u001B[2K');
  });

  test('never passes on control characters of the implementation', () => {
    expect(written(false)).not.toContain('\u001B[2J');
  });
});

test('files are written by their reporters', async () => {
  const out = await mkdtemp(path.join(tmpdir(), 'conform-report-'));
  try {
    for (const name of ['json', 'junit', 'markdown']) {
      await reporterKinds[name]
        ?.create({ ...context, out, write: () => undefined, terminal: false, columns: 80, verbose: false })
        .ended(end);
    }
    expect(JSON.parse(await readFile(path.join(out, 'report.json'), 'utf8'))).toMatchObject({ schema: 1, seed: 7 });
    expect(await readFile(path.join(out, 'junit.xml'), 'utf8')).toMatch(/^<\?xml/);
    expect(await readFile(path.join(out, 'summary.md'), 'utf8')).toMatch(/^## tiny 1\.0/);
  } finally {
    await rm(out, { recursive: true });
  }
});
