import { perKey } from '../../base/per-key.ts';
import { perObject } from '../../base/per-object.ts';
import { namespaceOf } from '../../resources/envelope.ts';
import type { Frontend } from '../../resources/proxy-policy/frontend.ts';
import type { ProxyPolicy } from '../../resources/proxy-policy/policy.ts';
import { type Aged, ageOf } from '../age.ts';
import type { BackendSection, PolicyRef, TrafficSection } from './effective-policy.ts';
import type { Place } from './places.ts';
import type { Level, TrafficPhase } from './precedence.ts';
import type { PoliciesAt } from './targets.ts';

/** What one resource says at one level. Merged results are kept by it: it is one object as long as the resource lives. */
export interface Contribution<Section extends object> {
  readonly policy: PolicyRef;
  readonly age: Aged;
  readonly section: Section;
  readonly inheritance: 'Default' | 'Override';
}

/** A policy at a place of the way. */
export interface PlacedPolicy {
  readonly policy: ProxyPolicy;
  readonly level: Level;
}

/** Everybody attached to one of the places, in the order of the places. */
export function policiesAlong(places: readonly Place[], policiesAt: PoliciesAt): readonly PlacedPolicy[] {
  const placed: PlacedPolicy[] = [];
  for (const { level, target } of places) for (const policy of policiesAt(target)) placed.push({ policy, level });
  return placed;
}

/** What they say about the traffic of a phase. */
export function trafficContributions(
  placed: readonly PlacedPolicy[],
  phase: TrafficPhase,
): readonly Contribution<TrafficSection>[] {
  // MERGE-017: a policy takes part in its own phase only.
  const ofPhase = placed.filter(({ policy }) => (policy.spec.traffic?.phase ?? 'PostRouting') === phase);
  return contributionsOf(ofPhase, trafficContribution);
}

/** What they say about connecting to a backend. */
export function backendContributions(placed: readonly PlacedPolicy[]): readonly Contribution<BackendSection>[] {
  return contributionsOf(placed, backendContribution);
}

/** What they say about the connections of a listener. */
export function frontendContributions(placed: readonly PlacedPolicy[]): readonly Contribution<Frontend>[] {
  return contributionsOf(placed, frontendContribution);
}

type ContributionOf<Section extends object> = (
  policy: ProxyPolicy,
) => (level: Level) => Contribution<Section> | undefined;

/** A policy that stands twice at one level, under two names of one section, counts once. */
function contributionsOf<Section extends object>(
  placed: readonly PlacedPolicy[],
  contributionOf: ContributionOf<Section>,
): readonly Contribution<Section>[] {
  if (placed.length === 0) return [];
  const found = placed.map(({ policy, level }) => contributionOf(policy)(level));
  return [...new Set(found)].filter((each) => each !== undefined);
}

const trafficContribution: ContributionOf<TrafficSection> = perObject((policy) =>
  perKey((level) => {
    const { traffic, strategy } = policy.spec;
    if (traffic === undefined) return undefined;
    const { phase: _, ...section } = traffic;
    return { ...authorOf(policy, level), section, inheritance: strategy?.inheritance ?? 'Default' };
  }),
);

// MERGE-008: `strategy` is about traffic only.
const backendContribution: ContributionOf<BackendSection> = perObject((policy) =>
  perKey((level) => {
    const section = policy.spec.backend;
    return section && { ...authorOf(policy, level), section, inheritance: 'Default' };
  }),
);

const frontendContribution: ContributionOf<Frontend> = perObject((policy) =>
  perKey((level) => {
    const section = policy.spec.frontend;
    return section && { ...authorOf(policy, level), section, inheritance: 'Default' };
  }),
);

function authorOf(policy: ProxyPolicy, level: Level): Pick<Contribution<object>, 'policy' | 'age'> {
  const namespace = namespaceOf(policy);
  return { policy: { kind: 'ProxyPolicy', namespace, name: policy.metadata.name, level }, age: ageOf(policy) };
}
