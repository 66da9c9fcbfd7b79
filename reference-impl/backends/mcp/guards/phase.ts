import type { MCPGuardrails } from '../../../resources/proxy-policy/fields/mcp/backend-mcp.ts';

type Methods = NonNullable<NonNullable<MCPGuardrails['processors']>[number]['methods']>;

/** Which directions of a method a guard is asked about. */
export type Phase = Methods[string];

/** Makes the function that says which phase a method has. GUARDMCP-010: the most specific key decides. */
export function phases(methods: Methods): (method: string) => Phase {
  const rows = Object.entries(methods)
    .map(([key, phase]) => ({ ...patternOf(key), phase }))
    .toSorted((a, b) => a.rank - b.rank || b.length - a.length || a.form - b.form);
  // GUARDMCP-011: a method that no key matches passes the guard by.
  return (method) => rows.find(({ matches }) => matches(method))?.phase ?? 'Off';
}

interface Pattern {
  /** A lower one is more specific. */
  readonly rank: number;
  /** Characters that a wildcard has beside the `*`; more are more specific. */
  readonly length: number;
  /** Decides between wildcards of one length (GUARDMCP-024). docs/decisions/mcp-guards.md */
  readonly form: number;
  readonly matches: (method: string) => boolean;
}

/** The key that stands for every method. */
const EVERY_METHOD = '*';

const EXACT = 0;
const WILDCARD = 1;
const EVERY = 2;

function patternOf(key: string): Pattern {
  // GUARDMCP-009
  if (key === EVERY_METHOD) return { rank: EVERY, length: 0, form: 0, matches: () => true };
  // GUARDMCP-007
  if (key.endsWith('*')) return wildcard(key.slice(0, -1), 0, (method, prefix) => method.startsWith(prefix));
  // GUARDMCP-008
  if (key.startsWith('*')) return wildcard(key.slice(1), 1, (method, suffix) => method.endsWith(suffix));
  // GUARDMCP-006
  return { rank: EXACT, length: key.length, form: 0, matches: (method) => method === key };
}

function wildcard(text: string, form: number, matches: (method: string, text: string) => boolean): Pattern {
  return { rank: WILDCARD, length: text.length, form, matches: (method) => matches(method, text) };
}
