import type { ConcreteCase } from '../case/concrete-case.ts';
import type { Step } from '../steps/step.ts';
import type { JsonObject } from '../values/json.ts';
import { mergePolicies, type ModelPolicy, type ModelRoute } from './merge-model.ts';
import { arbitraryPolicies, asConfig, asExpectation, PHASES, type DrawnPolicy } from './merge-policies.ts';
import type { Family } from './property.ts';

/** Sets of policies in any order, against the model of the merge. */
export const merge: Family = {
  noun: 'policy sets',
  examples: (one, max) => arbitraryPolicies(max).map((policies) => drawnCase(one, policies, WAYS[one.layer])),
};

interface Way {
  readonly phase: ModelPolicy['phase'];
  readonly route: ModelRoute;
}

// A trace shows the ways of one request; questions cost little. No route is chosen yet in the phase of the gateway.
const THROUGH_R: readonly Way[] = PHASES.map((phase) => ({ phase, route: 'r' }));
const WAYS: Readonly<Record<string, readonly Way[]>> = {
  trace: THROUGH_R,
  op: [...THROUGH_R, { phase: 'route', route: 'elsewhere' }, { phase: 'backend', route: 'elsewhere' }],
};

// The trace document does not say whether what is attached to a Gateway and acts after routing is shown in the phase of the gateway too.
function setIn(expected: JsonObject, merged: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(Object.entries(expected).filter(([field]) => field in merged));
}

/** The case that a policy set makes. MERGE-016: two policies at one level that set one field have no stated winner. */
function drawnCase(
  one: ConcreteCase,
  policies: readonly DrawnPolicy[],
  ways: readonly Way[] = THROUGH_R,
): ConcreteCase | undefined {
  const steps: Step[] = [];
  for (const { phase, route } of ways) {
    const merged = mergePolicies(policies, phase, route);
    if (merged === undefined) return undefined;
    const expected = asExpectation(phase, merged);
    steps.push({
      id: route === 'r' ? phase : `${phase}-${route}`,
      kind: 'op',
      input: { 'effective-policy': { phase, gateway: 'gw', listener: 'http', route, rule: 'rule', backend: 'up' } },
      expect: { result: one.layer === 'trace' && phase === 'gateway' ? setIn(expected, merged) : expected },
      at: [...one.at, 'property', 'check', 0],
    });
  }
  return { ...one, config: asConfig(policies), steps };
}
