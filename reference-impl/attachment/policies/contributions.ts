import { namespaceOf } from '../../resources/envelope.ts';
import { GATEWAY_API_GROUP } from '../../resources/gateway-api/gateway-api.ts';
import type { Frontend } from '../../resources/proxy-policy/frontend.ts';
import type { ProxyPolicy } from '../../resources/proxy-policy/policy.ts';
import { ageOf } from '../age.ts';
import type { BackendSection, TrafficSection } from './effective-policy.ts';
import type { GatewayListener } from '../listeners.ts';
import type { Contribution } from './merge.ts';
import type { Level, TrafficPhase } from './precedence.ts';
import type { Attached, Target } from './targets.ts';

/** One place on the way of a request where policies can be attached. */
export interface Place {
  readonly level: Level;
  readonly target: Target;
}

/** The places above every route: Gateway, ListenerSet, listener. */
export function placesOfListener({ gateway, listenerSet, spec }: GatewayListener): readonly Place[] {
  const owner = objectTarget('Gateway', namespaceOf(gateway), gateway.metadata.name);
  const gatewayPlace: Place = { level: 'gateway', target: owner };
  if (listenerSet === undefined) {
    return [gatewayPlace, { level: 'listener', target: { ...owner, sectionName: spec.name } }];
  }
  const set = objectTarget('ListenerSet', namespaceOf(listenerSet), listenerSet.metadata.name);
  return [
    gatewayPlace,
    { level: 'listenerSet', target: set },
    { level: 'listener', target: { ...set, sectionName: spec.name } },
  ];
}

/** ATTACH-011, ATTACH-012: the whole Gateway, and one port of it. */
export function placesOfPort({ gateway, spec }: GatewayListener): readonly Place[] {
  const owner = objectTarget('Gateway', namespaceOf(gateway), gateway.metadata.name);
  return [
    { level: 'gateway', target: owner },
    { level: 'gatewayPort', target: { ...owner, port: spec.port } },
  ];
}

/** The route, and the rule when it has a name (ATTACH-008). */
export function placesOfRule(namespace: string, name: string, rule: string | undefined): readonly Place[] {
  const route = objectTarget('HTTPRoute', namespace, name);
  const whole: Place = { level: 'route', target: route };
  return rule === undefined ? [whole] : [whole, { level: 'routeRule', target: { ...route, sectionName: rule } }];
}

/** The destination itself, and the names its section goes by (ATTACH-013, ATTACH-014). */
export function placesOfBackend(destination: Target, sections: readonly string[]): readonly Place[] {
  return [
    { level: 'destination', target: destination },
    ...sections.map((sectionName): Place => ({ level: 'section', target: { ...destination, sectionName } })),
  ];
}

function objectTarget(kind: string, namespace: string, name: string): Target {
  return { group: GATEWAY_API_GROUP, kind, namespace, name };
}

/** What the policies attached to these places say about the traffic of a phase. */
export function trafficAt(
  attached: Attached,
  places: readonly Place[],
  phase: TrafficPhase,
): readonly Contribution<TrafficSection>[] {
  return contributionsAt(attached, places, (policy, level) => {
    const { traffic, strategy } = policy.spec;
    // MERGE-017: a policy takes part in its own phase only.
    if (traffic === undefined || (traffic.phase ?? 'PostRouting') !== phase) return undefined;
    return trafficMemory(traffic, level, () => {
      const { phase: _, ...section } = traffic;
      return { ...byPolicy(policy, level), section, inheritance: strategy?.inheritance ?? 'Default' };
    });
  });
}

/** What they say about connecting to a backend; MERGE-008: `strategy` is about traffic only. */
export function backendAt(attached: Attached, places: readonly Place[]): readonly Contribution<BackendSection>[] {
  return contributionsAt(attached, places, (policy, level) => {
    const section = policy.spec.backend;
    return (
      section && backendMemory(section, level, () => ({ ...byPolicy(policy, level), section, inheritance: 'Default' }))
    );
  });
}

export function frontendAt(attached: Attached, places: readonly Place[]): readonly Contribution<Frontend>[] {
  return contributionsAt(attached, places, (policy, level) => {
    const section = policy.spec.frontend;
    return (
      section && frontendMemory(section, level, () => ({ ...byPolicy(policy, level), section, inheritance: 'Default' }))
    );
  });
}

function contributionsAt<Section extends object>(
  attached: Attached,
  places: readonly Place[],
  contribution: (policy: ProxyPolicy, level: Level) => Contribution<Section> | undefined,
): readonly Contribution<Section>[] {
  const found = places.flatMap(({ level, target }) => attached(target).map((policy) => contribution(policy, level)));
  return [...new Set(found)].filter((each) => each !== undefined);
}

function byPolicy(policy: ProxyPolicy, level: Level): Pick<Contribution<object>, 'policy' | 'age'> {
  const namespace = namespaceOf(policy);
  return { policy: { kind: 'ProxyPolicy', namespace, name: policy.metadata.name, level }, age: ageOf(policy) };
}

/** One contribution object per section and level, as long as the resource lives: merged results are keyed by it. */
export function contributionMemory<Section extends object>(): (
  section: object,
  level: Level,
  make: () => Contribution<Section>,
) => Contribution<Section> {
  const memory = new WeakMap<object, Map<Level, Contribution<Section>>>();
  return (section, level, make) => {
    const levels = memory.get(section) ?? new Map<Level, Contribution<Section>>();
    memory.set(section, levels);
    const contribution = levels.get(level) ?? make();
    levels.set(level, contribution);
    return contribution;
  };
}

const trafficMemory = contributionMemory<TrafficSection>();
const backendMemory = contributionMemory<BackendSection>();
const frontendMemory = contributionMemory<Frontend>();
