// The merge rule in few lines, written from the clauses and reviewed against them: the oracle of the merge properties.

/** Where a policy attaches, least to most specific (MERGE-011 to MERGE-015). `elsewhere` is the other one of two routes. */
export const RANK = { gateway: 0, listener: 1, route: 2, elsewhere: 2, rule: 3, backend: 4 } as const;
export type Level = keyof typeof RANK;

/** The levels that do not lead to a route. */
const OFF: Readonly<Record<ModelRoute, readonly Level[]>> = { r: ['elsewhere'], elsewhere: ['route', 'rule'] };
export type ModelRoute = 'r' | 'elsewhere';

export interface ModelPolicy {
  readonly at: Level;
  readonly phase: 'gateway' | 'route' | 'backend';
  readonly override: boolean;
  /** Top-level fields of the section. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The effective policy of a phase for requests of a route. Undefined where the documents leave the winner open (MERGE-016, MERGE-020). */
export function mergePolicies(
  policies: readonly ModelPolicy[],
  phase: ModelPolicy['phase'],
  route: ModelRoute = 'r',
): Readonly<Record<string, unknown>> | undefined {
  const reaching = policies.filter((policy) => !OFF[route].includes(policy.at) && policy.phase === phase);
  // MERGE-005, MERGE-006: an Override policy removes every traffic policy that is more specific. MERGE-008: traffic only.
  const overrides = reaching.filter((policy) => policy.override && phase !== 'backend').map(rank);
  if (new Set(overrides).size > 1) return undefined;
  const kept = reaching.filter((policy) => rank(policy) <= Math.min(...overrides, Infinity));
  const result: Record<string, unknown> = {};
  const setAt: Record<string, number> = {};
  for (const policy of kept.toSorted((a, b) => rank(a) - rank(b))) {
    for (const [field, value] of Object.entries(policy.fields)) {
      if (setAt[field] === rank(policy)) return undefined;
      // MERGE-009, MERGE-010: per top-level field, whole.
      result[field] = value;
      setAt[field] = rank(policy);
    }
  }
  return result;
}

const rank = ({ at }: ModelPolicy): number => RANK[at];
