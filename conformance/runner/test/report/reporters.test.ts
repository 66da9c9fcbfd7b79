import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { RunEnd, ReporterOptions } from '../../report/events.ts';
import { failureText } from '../../report/failure-text.ts';
import { reportFile } from '../../report/report-file.ts';
import { reportSchema, reportSchemaText } from '../../report/report-schema.ts';
import { markdownText } from '../../report/documents/markdown.ts';
import { reporterKinds } from '../../report/registry.ts';
import { progressLine } from '../../report/reporters/console.ts';
import { junitXml } from '../../report/reporters/junit.ts';
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
const troubled = caseResult('d.troubled[a b]', 'fail', {
  case: {
    ...caseResult('d.troubled[a b]', 'fail').case,
    clauses: [
      { id: 'TRACE-001', as: 'positive' },
      { id: 'TRACE-001', as: 'negative' },
    ],
  },
  checks: [{ at: [], what: 'step call: status', ok: false, expected: '200', actual: '500' }],
  evidence: {
    exchanges: [
      {
        step: 'other',
        request: { head: 'GET /other HTTP/1.1', bytes: 0 },
        answer: { head: 'HTTP/1.1 200 OK', bytes: 0 },
      },
      {
        step: 'call',
        request: { head: 'POST /a HTTP/1.1\nHost: x', body: '{"a":1}', bytes: 7 },
        answer: { head: 'HTTP/1.1 500 Oh', body: 'x'.repeat(70_000), bytes: 70_000 },
      },
    ],
    peers: { up: [{ method: 'GET', body: 'y'.repeat(70_000) }] },
    traces: {},
    configurations: ['---\nkind: Gateway\n'],
  },
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
  slowFirst: 0,
  parallel: { most: 2, least: 1, by: 'machine' },
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
      log of the implementation meanwhile
          it said something
      again     conform run 'b.failed'
      by hand   conform up 'b.failed'
      outside   curl -H 'Host: x' 'http://127.0.0.1:1/a'"
  `);
});

describe('the evidence of a failure', () => {
  const text = failureText(troubled, { ...context, out: 'out' });

  test('shows the exchange of the red step, the clause once, and where the rest is', () => {
    expect(text).toContain(
      `  request   call
            POST /a HTTP/1.1
            Host: x

            {"a":1}`.replace('x\n\n', 'x\n            \n'),
    );
    expect(text).not.toContain('/other');
    expect(text.match(/It is so\./g)).toHaveLength(1);
    expect(text).toContain('TRACE-001 (positive, negative)');
    expect(text).toContain('  config    out/failures/d.troubled_a_b/config-1.yaml');
    expect(text).toContain('  all       out/failures/d.troubled_a_b/failure.txt');
  });

  test('is complete where nothing is shortened', () => {
    const full = failureText(troubled, { ...context, out: 'out', full: true });
    expect(full).toContain('GET /other HTTP/1.1');
    expect(full).toContain('(70000 bytes in failures/d.troubled_a_b/text-1.txt)');
  });

  test('is data in report.json, with long texts and the configuration in files beside it', async () => {
    const out = await mkdtemp(path.join(tmpdir(), 'conform-report-'));
    try {
      const options = { ...context, out, write: () => undefined, terminal: false, columns: 80, verbose: false };
      const troubledEnd = { ...end, results: [troubled] };
      for (const name of ['failures', 'json']) await reporterKinds[name]?.create(options).ended(troubledEnd);
      const report = reportSchema.parse(JSON.parse(await readFile(path.join(out, 'report.json'), 'utf8')));
      expect(report.clauses).toEqual({ 'TRACE-001': { statement: 'It is so.', source: 'TRC line 7' } });
      expect(report.cases[0]?.evidence?.exchanges[1]?.answer.body).toEqual({
        file: 'failures/d.troubled_a_b/text-1.txt',
        bytes: 70_000,
      });
      const folder = path.join(out, 'failures/d.troubled_a_b');
      expect(await readFile(path.join(folder, 'text-1.txt'), 'utf8')).toBe('x'.repeat(70_000));
      expect(await readFile(path.join(folder, 'config-1.yaml'), 'utf8')).toBe('---\nkind: Gateway\n');
      await reporterKinds['failures']?.create(options).ended({ ...end, results: [] });
      expect(await readdir(path.join(out, 'failures'))).toEqual([]);
    } finally {
      await rm(out, { recursive: true });
    }
  });

  test('is coloured by whoever shows it, and never by the implementation', () => {
    const painted = failureText(
      { ...troubled, logs: ['\u001B[31mred'] },
      { ...context, paint: (style, part) => `<${style}>${part}</>` },
    );
    expect(painted).toMatch(/^<bad>FAIL {2}d\.troubled\[a b\] .*<\/>$/m);
    expect(painted).toContain('\uFFFD[31mred</>');
  });
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
    blocked: 0,
    unstable: 0,
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
  const text = markdownText(reportFile(end));
  expect(text).toContain('| suite | pass | fail | error |');
  expect(text).toContain('| suite.one | 1 | 1 | 1 |');
  expect(text).toContain('| fail | `b.failed` | TRACE-001 | step call: status: expected 200, got 500 |');
  expect(text).toContain('\\|');
});

test('entries of a list that no longer hold are in the report and in the Markdown', () => {
  const problems = ['known.yaml:1:3 known failure: a.b passed'];
  expect(markdownText(reportFile({ ...end, problems }))).toContain(
    '### Known failures\n\nEntries of the list that no longer hold:\n\n- known.yaml:1:3',
  );
  expect(markdownText(reportFile({ ...end, problems: [] }))).not.toContain('### Known failures');
  expect(reportSchema.parse(reportFile({ ...end, problems })).knownProblems).toEqual(problems);
  expect(reportFile({ ...end, problems: [] })).not.toHaveProperty('knownProblems');
});

test('progress shows done, rate and time left', () => {
  expect(progressLine(50, { ...end, total: 150 }, 500)).toBe('50/150  100 cases/s  1 s left');
});

function written(terminal: boolean, { results: shown, ...rest } = end): string {
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
  for (const [index, result] of shown.entries()) reporter?.finished?.(result, index + 1);
  void reporter?.ended({ ...rest, results: shown, cutShort: 'interrupted by SIGINT' });
  return text;
}

function asking(id: string, needs: readonly string[], undeclared: string): (typeof results)[number] {
  const result = caseResult(id, undeclared === '' ? 'pass' : 'unsupported', { reason: `needs ${undeclared}` });
  return { ...result, case: { ...result.case, needs } };
}

describe('the console', () => {
  test('prints failures as they happen and the end in plain lines', () => {
    const text = written(false);
    expect(text).toMatch(/^tiny 1\.0 · 3 cases · seed 7 · 2 workers\nFAIL {2}b\.failed/);
    expect(text).toContain('cut short: interrupted by SIGINT (3 of 3 cases have a verdict)\n');
    expect(text).toContain('1 pass, 1 fail, 1 error in 1.2 s (2 cases/s), seed 7\n');
    expect(text).not.toContain('\r');
  });

  test('tells of a feature that is declared without any of its parts', () => {
    const needs = ['traffic.extAuth', 'traffic.extAuth.http'];
    const lacking = asking('a.http', needs, 'traffic.extAuth.http');
    const line =
      'traffic.extAuth is declared and none of its parts: 1 case needs traffic.extAuth.grpc or traffic.extAuth.http\n';
    expect(written(false, { ...end, results: [lacking] })).toContain(line);
    expect(written(false, { ...end, results: [lacking, asking('b', ['traffic.extAuth.grpc'], '')] })).not.toContain(
      'none of its parts',
    );
    expect(written(false, { ...end, results: [asking('a', needs, needs.join(', '))] })).not.toContain(
      'none of its parts',
    );
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
