import { perList, sharedList } from '../../base/per-list.ts';
import { isFields } from '../../resources/groups.ts';
import type { Frontend } from '../../resources/proxy-policy/frontend.ts';
import { compareAge } from '../age.ts';
import type { Contribution } from './contributions.ts';
import type {
  BackendSection,
  EffectiveBackend,
  EffectiveFrontend,
  EffectiveTraffic,
  PolicyRef,
  TrafficSection,
} from './effective-policy.ts';
import { ACCUMULATING, type Domain, type Level, PRECEDENCE, type TrafficPhase } from './precedence.ts';

/** Merges the traffic contributions of one phase, given in any order. docs/decisions/merge-whole-fields.md */
export function mergeTraffic(
  phase: TrafficPhase,
  contributions: readonly Contribution<TrafficSection>[],
): EffectiveTraffic {
  return TRAFFIC[phase](leastSpecificFirst(phase, contributions));
}

/** Merges what is said about connecting to one backend. */
export function mergeBackend(contributions: readonly Contribution<BackendSection>[]): EffectiveBackend {
  return backendInOrder(leastSpecificFirst('backend', contributions));
}

/** Merges what is said about the connections of one listener. */
export function mergeFrontend(contributions: readonly Contribution<Frontend>[]): EffectiveFrontend {
  return frontendInOrder(leastSpecificFirst('frontend', contributions));
}

const TRAFFIC = {
  PreRouting: perList((winnersLast) => merge('PreRouting', winnersLast) as EffectiveTraffic),
  PostRouting: perList((winnersLast) => merge('PostRouting', winnersLast) as EffectiveTraffic),
} satisfies Record<TrafficPhase, (winnersLast: readonly Contribution<TrafficSection>[]) => EffectiveTraffic>;
const backendInOrder = perList(
  (winnersLast: readonly Contribution<BackendSection>[]) => merge('backend', winnersLast) as EffectiveBackend,
);
const frontendInOrder = perList(
  (winnersLast: readonly Contribution<Frontend>[]) => merge('frontend', winnersLast) as EffectiveFrontend,
);

/** Whoever contributes is of a level of the domain. MERGE-016: of one level the oldest wins, then the first by namespace and name. */
function leastSpecificFirst<Section extends object>(
  domain: Domain,
  contributions: readonly Contribution<Section>[],
): readonly Contribution<Section>[] {
  const levels: readonly Level[] = PRECEDENCE[domain];
  return contributions.toSorted(
    (a, b) => levels.indexOf(a.policy.level) - levels.indexOf(b.policy.level) || compareAge(b.age, a.age),
  );
}

interface Merged {
  readonly [field: string]: unknown;
  readonly sources: Record<string, readonly PolicyRef[]>;
}

/** MERGE-009, MERGE-010: field by field, each value whole; what comes later in the list is more specific. */
function merge(domain: Domain, winnersLast: readonly Contribution<object>[]): Merged {
  const fields = new Map<string, Field>();
  for (const contribution of withoutExcluded(domain, winnersLast)) {
    for (const [name, value] of Object.entries(contribution.section) as [string, unknown][]) {
      const before = fields.get(name);
      if (value === undefined || isLocked(contribution, before)) continue;
      const from = [contribution];
      fields.set(name, ACCUMULATING.has(name) ? accumulate(before, { value, from }) : { value, from });
    }
  }
  return {
    ...Object.fromEntries([...fields].map(([name, { value }]) => [name, value])),
    sources: Object.fromEntries([...fields].map(([name, { from }]) => [name, from.map(({ policy }) => policy)])),
  };
}

/** The value of one field so far, and who it came from. */
interface Field {
  readonly value: unknown;
  readonly from: readonly Contribution<object>[];
}

const rules = sharedList<object>();

/** AUTHZ-005, AUTHZ-006: the rules of all levels hold together; equal lists are one object. */
function accumulate(before: Field | undefined, { value, from }: Field): Field {
  const earlier: readonly unknown[] = Array.isArray(before?.value) ? before.value : [];
  const all = [...earlier, value].filter(isFields);
  return { value: rules(all), from: [...(before?.from ?? []), ...from] };
}

/**
 * MERGE-005, MERGE-006, MERGE-007: Override excludes every policy of a more specific level. MERGE-020: with two of them
 * the less specific one therefore wins. What an HTTPRoute says itself is no policy and stays.
 * docs/decisions/override.md
 */
function withoutExcluded<Section extends object>(
  domain: Domain,
  winnersLast: readonly Contribution<Section>[],
): readonly Contribution<Section>[] {
  const override = winnersLast.find(({ inheritance }) => inheritance === 'Override');
  if (override === undefined) return winnersLast;
  const levels: readonly Level[] = PRECEDENCE[domain];
  const last = levels.indexOf(override.policy.level);
  return winnersLast.filter(({ policy }) => policy.kind !== 'ProxyPolicy' || levels.indexOf(policy.level) <= last);
}

/** A filter of a route does not replace a field that an Override policy set. */
function isLocked({ policy }: Contribution<object>, before: Field | undefined): boolean {
  return policy.kind === 'HTTPRoute' && (before?.from.some(({ inheritance }) => inheritance === 'Override') ?? false);
}
