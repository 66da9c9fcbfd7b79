import * as expressions from '../../case/case-names.ts';
import type { ConcreteCase } from '../../case/concrete-case.ts';
import { lintCases, lintKills } from '../../case/lint.ts';
import { parseCases } from '../../case/load.ts';
import type { LoadedCases } from '../../case/load.ts';
import type { LintContext } from '../../case/lint/rule.ts';
import { levelOf } from '../../clauses/register.ts';
import type { Clause } from '../../clauses/register.ts';

/** A small register: one clause of each level. */
export const register: LintContext['register'] = {
  clauses: new Map(
    (['MUST', 'DEFAULT', 'MAY', 'UNSPECIFIED'] as const).map((level, index) => [
      `X-00${index + 1}`,
      clause(`X-00${index + 1}`, level),
    ]),
  ),
  features: [
    'core.http',
    'op.effective-policy',
    'trace.watch',
    'traffic.timeouts',
    'backend.ai',
    'backend.ai.routes',
    'backend.ai.vendor7',
    'backend.auth.cloudA',
  ].map((id) => ({ id })),
  openPoints: [{ id: 'U-001' }],
};

function clause(id: string, level: Clause['level']): Clause {
  const source = { document: 'CFG' as const, section: 's', line: 1 };
  return { id, level, area: 'X', statement: 'It is so.', source, observable: [], peers: [], negative: 'It is not.' };
}

/** The cases of a text, expanded; levels come from the small register. */
export function parsed(text: string): LoadedCases {
  return parseCases('t.yaml', text, { levelOf: (clauses) => levelOf(register.clauses, clauses) });
}

/** `LINE:COL message` of everything wrong with a text, schema and lint alike. */
export function problemsOf(text: string, defects?: readonly string[]): readonly string[] {
  const { cases, problems } = parsed(text);
  const kills = defects === undefined ? [] : lintKills(cases, new Set(defects));
  return [...problems, ...lintCases(cases, { register, expressions }), ...kills].map(
    ({ position, message }) => `${position.line}:${position.column} ${message}`,
  );
}

/** The only concrete case of a text, or the one at an index. */
export function caseOf(text: string, index = 0): ConcreteCase {
  const { cases, problems } = parsed(text);
  const found = cases[index];
  if (found === undefined) throw new Error(problems.map(({ message }) => message).join('\n'));
  return found;
}

/** A file with one good case; `edit` replaces a line by another. */
export function goodFile(...edits: readonly (readonly [string, string])[]): string {
  return edits.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the file has no ${from}`);
    return text.replace(from, () => to);
  }, GOOD);
}

const GOOD = `suite: x.basics
cases:
  - id: x.basics.one
    title: A request to the only route reaches the only backend
    clauses: [{ id: X-001, as: positive }]
    needs: [core.http]
    peers:
      up: { kind: http, reply: { status: 200 } }
    topology: { to: up }
    config:
      - kind: ProxyPolicy
        metadata: { name: p }
        spec: { targetRefs: [{ at: route }], traffic: { timeouts: { request: 9s } } }
    steps:
      - id: call
        http: { GET: / }
        expect: { status: 200 }
    expect:
      received: { up: [{ GET: / }] }
    kills: [some-defect]
`;
