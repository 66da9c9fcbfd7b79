import { reportFile } from '../../../../conformance/runner/report/report-file.ts';
import type { ReportFile } from '../../../../conformance/runner/report/report-schema.ts';
import type { CaseResult } from '../../../../conformance/runner/schedule/case-result.ts';
import { caseResult, concreteCase } from '../../../../conformance/runner/test/support/concrete-case.ts';
import { runEndOf } from '../../../../conformance/runner/test/support/run-end.ts';
import type { Verdict } from '../../../../conformance/runner/verdict/verdict.ts';

const CLAUSES = ['MERGE-001', 'TRACE-001', 'DELAY-001', 'AUTHZ-004', 'RATE-002'];

const TURNS: readonly Verdict[] = [
  'pass',
  'fail',
  'unsupported',
  'inconclusive',
  'observe',
  'known',
  'error',
  'blocked',
];

/** The reports that pages are made of, by what there is to see: nothing, one red case, many implementations. */
export const REPORTS: Readonly<Record<string, readonly ReportFile[]>> = {
  empty: [reportFile(runEndOf([], { exitCode: 2 }))],
  'one-red': [reportFile(runEndOf([...greens(5), red()], { exitCode: 1 }))],
  many: ['envoy', 'a-proxy-with-a-rather-long-name', 'nginx', 'tiny', 'reference', 'another'].map((name, turn) =>
    reportFile(runEndOf(manyCases(turn), { implementation: { name, version: '1.2.3' }, exitCode: turn === 4 ? 0 : 1 })),
  ),
};

function greens(count: number): readonly CaseResult[] {
  return Array.from({ length: count }, (_, index) => caseResult(`group.green-${index}`, 'pass'));
}

/** Long words, long lines and long lists, as implementations write them. */
function red(): CaseResult {
  const header = `x-long: ${'abcdefghij'.repeat(20)}`;
  return caseResult('attachment.merge.an-id-that-is-long-enough-to-be-broken[a-row-with-a-name]', 'fail', {
    case: concreteCase('attachment.merge.an-id-that-is-long-enough-to-be-broken[a-row-with-a-name]', {
      title: 'The header set by the most specific policy is the one the upstream sees, and no other is',
      clauses: [{ id: 'MERGE-001', as: 'positive' }],
      kills: ['merge-reversed'],
    }),
    reason: 'received by up[1].headers.x-level: expected "route", got "gateway"',
    checks: [
      { at: [], what: 'received by up[1].headers.x-level', ok: false, expected: 'route', actual: 'gateway' },
      { at: [], what: 'step call: status', ok: true, expected: '200', actual: '200' },
    ],
    timeline: Array.from({ length: 12 }, (_, index) => ({ atMs: index * 1.5, who: 'client', what: `> GET /${index}` })),
    curl: [`curl -H '${header}' 'http://127.0.0.1:1/a'`],
    logs: [`a line of a log ${'that goes on '.repeat(20)}`],
    evidence: {
      exchanges: [
        {
          step: 'call',
          request: { head: `GET /a HTTP/1.1\n${header}`, bytes: 0 },
          answer: { head: 'HTTP/1.1 500 Oh', body: '{"a": 1}', bytes: 8 },
        },
      ],
      peers: { up: [{ method: 'GET', target: '/a', headers: { 'x-level': 'gateway' } }] },
      traces: {},
      configurations: [],
    },
  });
}

function manyCases(turn: number): readonly CaseResult[] {
  return Array.from({ length: 60 }, (_, index) => {
    const id = `traffic.some-group.case-${index}`;
    const verdict = turn === 4 ? 'pass' : (TURNS[(index * (turn + 1)) % TURNS.length] ?? 'pass');
    const clauses = [{ id: CLAUSES[index % CLAUSES.length] ?? '', as: 'positive' as const }];
    return caseResult(id, verdict, { case: concreteCase(id, { clauses, kills: [`defect-${index % 7}`] }) });
  });
}
