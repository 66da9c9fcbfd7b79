import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { compareReports } from '../../report/compare-reports.ts';
import { conformanceResult, conformanceResultSchema, profileOf } from '../../report/conformance-result.ts';
import { reportPage } from '../../report/documents/html.ts';
import { reportDocuments } from '../../report/documents/registry.ts';
import { eventSchema } from '../../report/event-schema.ts';
import type { ReporterOptions } from '../../report/events.ts';
import { mergeReports, type PlacedReport } from '../../report/merge-reports.ts';
import { readWholeReport } from '../../report/read-report.ts';
import { reporterKinds } from '../../report/registry.ts';
import { reportFile } from '../../report/report-file.ts';
import type { ReportFile } from '../../report/report-schema.ts';
import { annotations } from '../../report/reporters/github.ts';
import { concreteCase, caseResult } from '../support/concrete-case.ts';
import { runEndOf } from '../support/run-end.ts';

const red = caseResult('b.red', 'fail', {
  reason: 'step call: status: expected 200, got 500',
  checks: [{ at: [], what: 'step call: status', ok: false, expected: '200', actual: '50%,\n</script>' }],
});
const green = caseResult('a.green', 'pass', {
  case: { ...concreteCase('a.green'), needs: ['core.http'], file: 'conformance/cases/routing/routes.yaml' },
});
const traffic = caseResult('c.traffic', 'pass', {
  case: { ...concreteCase('c.traffic'), needs: ['traffic.cors'], file: 'conformance/cases/traffic/cors.yaml' },
});
const clause = (): { statement: string; source: string } => ({ statement: 'It is so.', source: 'TRC line 7' });

function optionsFor(out: string, write: (text: string) => void = () => undefined): ReporterOptions {
  return { out, write, clause, again: '', terminal: false, columns: 80, verbose: false };
}

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'conform-documents-'));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('events.ndjson', () => {
  test('has a line for each verdict that fits the schema, and tells the whole report', () =>
    inFolder(async (folder) => {
      const report = await tell(folder, { killed: false });
      const lines = (await readFile(path.join(folder, 'events.ndjson'), 'utf8')).trim().split('\n');
      const events = lines.map((line) => eventSchema.parse(JSON.parse(line)).event);
      expect(events).toEqual(['started', 'finished', 'finished', 'repeating', 'ended']);
      expect(readWholeReport(path.join(folder, 'events.ndjson'))).toEqual(report);
    }));

  test('keeps what was judged when the run is killed, even in the middle of a line', () =>
    inFolder(async (folder) => {
      await tell(folder, { killed: true });
      const file = path.join(folder, 'events.ndjson');
      await writeFile(file, `${await readFile(file, 'utf8')}{"event":"fini`);
      const report = readWholeReport(folder);
      expect(report.cases.map(({ id }) => id)).toEqual(['a.green', 'b.red']);
      expect(report.exitCode).toBe(3);
      expect(report.cutShort).toBe('the run was ended before it could say how (2 of 2 cases have a verdict)');
      expect(report.summary).toMatchObject({ pass: 1, fail: 1 });
    }));

  test('a line that is no event, a start that is missing and a foreign file are named', () =>
    inFolder(async (folder) => {
      const file = path.join(folder, 'events.ndjson');
      await tell(folder, { killed: false });
      await writeFile(file, `${await readFile(file, 'utf8')}{"event":"odd"}\n`);
      expect(() => readWholeReport(file)).toThrow(`${file}:6: is no event of a run`);
      await writeFile(file, '{"event":"repeating","count":1}\n');
      expect(() => readWholeReport(file)).toThrow(`${file}:1: the first event is not "started"`);
      await writeFile(path.join(folder, 'report.json'), '{"schema":2}');
      expect(() => readWholeReport(folder)).toThrow('is a report of version 2, and this suite reads version 1');
      await writeFile(path.join(folder, 'report.json'), '{"schema":');
      expect(() => readWholeReport(folder)).toThrow('is no JSON; the run that wrote it may have been cut short');
    }));

  // /dev/full is a disk that is always full.
  test('a full disk ends the file with one sentence, and not the run', () =>
    inFolder(async (folder) => {
      await symlink('/dev/full', path.join(folder, 'events.ndjson'));
      const said: string[] = [];
      const end = runEndOf([green, red]);
      const reporter = reporterKinds['events']?.create(optionsFor(folder, (text) => void said.push(text)));
      reporter?.started?.(end);
      end.results.forEach((result, index) => reporter?.finished?.(result, index + 1));
      await reporter?.ended(end);
      expect(said).toHaveLength(1);
      expect(said[0]).toMatch(/events\.ndjson: no more events can be written: ENOSPC/);
    }));
});

describe('documents of a report', () => {
  const report = reportFile(runEndOf([green, red, traffic], { exitCode: 1 }), clause);

  test('SARIF has a rule for the clause and a result at the line of the case', async () => {
    const text = await reportDocuments['sarif']?.render(report, { clause });
    expect(JSON.parse(text ?? '')).toMatchObject({
      version: '2.1.0',
      runs: [
        {
          tool: { driver: { rules: [{ id: 'TRACE-001', shortDescription: { text: 'It is so.' } }] } },
          results: [
            {
              ruleId: 'TRACE-001',
              level: 'error',
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: 'conformance/cases/a.yaml' },
                    region: { startLine: 3 },
                  },
                },
              ],
            },
          ],
        },
      ],
    });
  });

  test('a badge says what passed, and that a part of the suite is a part', async () => {
    expect(await badge(report)).toEqual({
      schemaVersion: 1,
      label: 'conformance',
      message: '2 pass, 1 red',
      color: 'red',
    });
    const part = reportFile(runEndOf([green], { selection: { whole: true, shard: '1/2' } }));
    expect(await badge(part)).toMatchObject({ message: '1 pass, partial', color: 'brightgreen' });
  });

  test('annotations stand at the line of the case, with what GitHub would take for its own escaped', () => {
    expect(annotations(report)).toBe(
      '::error file=conformance/cases/a.yaml,line=3,title=fail b.red::step call: status: expected 200, got 50%25,%0A</script>\n',
    );
  });

  test('the page holds every report as data that is no markup', async () => {
    const page = await reportPage([report, report]);
    const [, content = ''] = /<script type="text\/plain" id="report-data">([^<]*)<\/script>/.exec(page) ?? [];
    const data: unknown = JSON.parse(gunzipSync(Buffer.from(content, 'base64')).toString());
    expect(data).toMatchObject({ reports: [{ seed: 7 }, { seed: 7 }], clauses: { 'MERGE-001': { level: 'MUST' } } });
    expect(page).not.toContain('50%,');
    expect(page).not.toMatch(/(?:src|href)="http/);
  });
});

describe('the conformance result', () => {
  test('is conformant when core and every declared profile are', () => {
    const result = conformanceResult(whole([green, traffic]));
    expect(result).toMatchObject({
      conformant: true,
      profiles: { core: { conformant: true, must: { pass: 1 } }, traffic: { conformant: true, must: { pass: 1 } } },
    });
    expect(Object.keys(result.profiles)).toEqual(['core', 'traffic']);
    expect(conformanceResultSchema.parse(result)).toEqual(result);
  });

  test.each([
    ['a part of the suite', [green], { selection: { whole: false } }],
    ['a shard', [green], { selection: { whole: true, shard: '1/2' } }],
    ['a run that was cut short', [green], { cutShort: 'interrupted' }],
    ['an unstable case', [green, caseResult('d.unstable', 'unstable')], {}],
    ['a crash', [green], { crashes: 1 }],
    ['a run that somebody attended', [green], { attended: true as const }],
  ])('%s shows no conformance, and says why', (_, results, more) => {
    const result = conformanceResult(whole(results, more));
    expect(result.conformant).toBe(false);
    expect(result.because).toHaveLength(1);
  });

  test.each(['fail', 'inconclusive', 'error', 'stale', 'known', 'blocked', 'skipped', 'unsupported'] as const)(
    'a core case that comes out as %s stands against conformance',
    (verdict) => {
      expect(conformanceResult(whole([green, { ...green, verdict }])).conformant).toBe(false);
    },
  );

  test('a profile that is not declared is no failure, and its features are named', () => {
    const result = conformanceResult(whole([green, { ...traffic, verdict: 'unsupported' }]));
    expect(result).toMatchObject({
      conformant: true,
      profiles: { traffic: { conformant: false, must: { unsupported: 1 }, without: ['traffic.cors'] } },
    });
  });

  test('has a fingerprint of the open points that ports do not change', () => {
    expect(fingerprint('at 127.0.0.1:40123')).toBe(fingerprint('at 127.0.0.1:51999'));
    expect(fingerprint('closed')).not.toBe(fingerprint('open'));
  });

  test('is YAML that fits its schema, and names the report by its digest', async () => {
    const text = await reportDocuments['result']?.render(whole([green]), { clause });
    expect(conformanceResultSchema.parse(parse(text ?? '')).report.cases).toBe(1);
  });

  test('belongs to core where nothing else is needed', () => {
    const file = 'conformance/cases/ai/routes.yaml';
    expect(profileOf({ needs: ['core.http'], file }, new Set(['core.http']))).toBe('core');
    expect(profileOf({ needs: ['backend.ai'], file }, new Set(['core.http']))).toBe('ai');
  });
});

describe('several reports', () => {
  test('shards become one report, as bad as the worst of them', () => {
    const merged = mergeReports([shard(1, [green]), shard(2, [red], { exitCode: 1 })]);
    expect(merged).toMatchObject({ selection: { whole: true }, exitCode: 1, summary: { pass: 1, fail: 1 } });
    expect(merged.cases.map(({ id }) => id)).toEqual(['a.green', 'b.red']);
  });

  test.each([
    ['shard 2/2 is missing', [shard(1, [green])]],
    ['shard 1/2 is there twice: shard-1, shard-1', [shard(1, [green]), shard(1, [red])]],
    ['shard-2: has a.green, which shard-1 has too', [shard(1, [green]), shard(2, [green])]],
    [
      'shard-2: is of another run: its implementation is other, and that of shard-1 is tiny 1.0',
      [shard(1, [green]), shard(2, [red], { implementation: { name: 'other' } })],
    ],
    [
      'shard-2: is of another run: its seed is 8, and that of shard-1 is 7',
      [shard(1, [green]), shard(2, [red], { seed: 8 })],
    ],
    [
      'shard-2: is of another run: its division of cases is b, and that of shard-1 is none',
      [shard(1, [green]), shard(2, [red], { selection: { whole: true, shard: '2/2', division: 'b' } })],
    ],
    ['is no shard of a run', [{ place: 'x', report: reportFile(runEndOf([green])) }]],
    ['divided by 2 and by 3', [shard(1, [green]), shard(2, [red], { selection: { whole: true, shard: '2/3' } })]],
  ])('%s', (message, shards) => {
    expect(() => mergeReports(shards)).toThrow(message);
  });

  test('a shard that shows nothing by itself does not keep the others from being green', () => {
    const none = { ...traffic, verdict: 'unsupported' as const };
    const merged = mergeReports([shard(1, [green]), shard(2, [none], { exitCode: 1 })]);
    expect(merged.exitCode).toBe(0);
    expect(mergeReports([shard(1, [green]), shard(2, [none], { exitCode: 3, cutShort: 'killed' })]).exitCode).toBe(3);
  });

  test('a red case that stands on one of another shard accuses nobody', () => {
    const standing = caseResult('d.standing[row]', 'fail', {
      case: { ...concreteCase('d.standing[row]'), requires: ['b.red'] },
    });
    const merged = mergeReports([shard(1, [standing]), shard(2, [red], { exitCode: 1 })]);
    expect(merged.cases.map(({ id, verdict, reason }) => [id, verdict, reason])).toEqual([
      ['b.red', 'fail', 'step call: status: expected 200, got 500'],
      ['d.standing[row]', 'blocked', 'stands on b.red, which is red'],
    ]);
    expect(merged.summary).toMatchObject({ fail: 1, blocked: 1 });
  });

  test('what differs is worse, better, otherwise, new or gone', () => {
    const before = reportFile(runEndOf([green, red, traffic, caseResult('e.gone', 'pass')]));
    const after = reportFile(
      runEndOf([
        { ...green, verdict: 'fail' },
        { ...red, verdict: 'pass' },
        { ...traffic, verdict: 'unsupported' },
        caseResult('f.new', 'pass'),
      ]),
    );
    expect(compareReports(before, after).map(({ kind, id }) => `${kind} ${id}`)).toEqual([
      'worse a.green',
      'worse c.traffic',
      'better b.red',
      'new f.new',
      'gone e.gone',
    ]);
    expect(compareReports(before, before)).toEqual([]);
  });
});

async function tell(folder: string, { killed }: { readonly killed: boolean }): Promise<ReportFile> {
  const end = runEndOf([green, red], { exitCode: 1 });
  const reporter = reporterKinds['events']?.create(optionsFor(folder));
  reporter?.started?.(end);
  end.results.forEach((result, index) => reporter?.finished?.(result, index + 1));
  reporter?.repeating?.(1);
  if (!killed) await reporter?.ended(end);
  return reportFile(end, clause);
}

async function badge(of: ReportFile): Promise<unknown> {
  return JSON.parse((await reportDocuments['badge']?.render(of, { clause })) ?? '');
}

function whole(results: Parameters<typeof runEndOf>[0], more = {}): ReportFile {
  return reportFile(runEndOf(results, more), clause);
}

function observed(actual: string): ReportFile {
  return whole([
    green,
    caseResult('o.open', 'observe', {
      case: concreteCase('o.open', { level: 'observe' }),
      checks: [{ at: [], what: 'status', ok: true, expected: '', actual }],
    }),
  ]);
}

function shard(index: number, results: Parameters<typeof runEndOf>[0], more = {}): PlacedReport {
  return {
    place: `shard-${index}`,
    report: reportFile(runEndOf(results, { selection: { whole: true, shard: `${index}/2` }, ...more })),
  };
}

function fingerprint(actual: string): string {
  return conformanceResult(observed(actual)).openPoints;
}
