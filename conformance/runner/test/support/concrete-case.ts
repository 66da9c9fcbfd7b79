import type { ConcreteCase } from '../../case/concrete-case.ts';
import type { CaseResult } from '../../schedule/case-result.ts';

/** A case for tests of what stands right of the case language. */
export function concreteCase(id: string, more: Partial<ConcreteCase> = {}): ConcreteCase {
  return {
    id,
    baseId: id,
    suite: 'suite.one',
    title: 'Something is so',
    file: 'conformance/cases/a.yaml',
    clauses: [{ id: 'TRACE-001', as: 'positive' }],
    level: 'must',
    layer: 'wire',
    isolation: 'host',
    needs: [],
    assumes: [],
    kills: [],
    witness: [],
    row: {},
    namespace: `c-${id}`,
    host: `c-${id}.test`,
    topology: { listeners: [], listenerSets: [], routes: [] },
    config: [],
    peers: {},
    steps: [],
    expect: {},
    at: ['cases', 0],
    position: () => ({ line: 3, column: 5, lineText: '    status: 200' }),
    ...more,
  };
}

/** A result for tests of reports. */
export function caseResult(id: string, verdict: CaseResult['verdict'], more: Partial<CaseResult> = {}): CaseResult {
  return {
    case: concreteCase(id),
    verdict,
    reason: verdict === 'pass' ? '' : 'a reason',
    durationMs: 1.5,
    checks: [],
    controls: [],
    witnesses: [],
    revisions: [],
    timeline: [],
    ledgers: {},
    curl: [],
    logs: [],
    ...more,
  };
}
