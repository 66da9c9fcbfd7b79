import { namespaceOf } from '../../resources/envelope.ts';
import { GATEWAY_API_GROUP } from '../../resources/gateway-api/gateway-api.ts';
import type { HTTPRouteRule } from '../../resources/gateway-api/http-route.ts';
import { backendViews, type MirrorView, type WeightedBackend } from '../backends/backend-view.ts';
import { backendAt, placesOfRule, trafficAt } from '../policies/contributions.ts';
import type { BackendSection, TrafficSection } from '../policies/effective-policy.ts';
import { inlineTraffic } from '../policies/inline.ts';
import type { Links } from '../links.ts';
import { type Contribution, type EffectiveTraffic, mergeTraffic } from '../policies/merge.ts';
import { type RouteMatch, ruleKey } from './route-match.ts';

/** A rule as one of its matches reached it. */
export interface RuleView {
  /** `namespace/name.ruleIndex`: trace `selectedRoute`. */
  readonly key: string;
  readonly route: {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly rule: string | undefined;
  };
  /** The path prefix that matched, when the match is a prefix, without trailing slash (`/` for every path). */
  readonly matchedPrefix: string | undefined;
  /** Merged PostRouting policy, inline route filters included: trace phase `route`. */
  readonly postRouting: EffectiveTraffic;
  readonly backends: readonly WeightedBackend[];
  /** Where the mirror filters of the rule send their copies, in their order. */
  readonly mirrors: readonly MirrorView[];
}

/** What is said above every route of a listener. */
export interface Above {
  readonly traffic: readonly Contribution<TrafficSection>[];
  readonly backend: readonly Contribution<BackendSection>[];
}

/** Resolves and merges everything a request needs from the rule of a match. */
export function ruleView({ route, ruleIndex, path }: RouteMatch, above: Above, links: Links): RuleView {
  const rule: HTTPRouteRule = route.spec.rules?.[ruleIndex] ?? {};
  const namespace = namespaceOf(route);
  const { name } = route.metadata;
  const places = placesOfRule(namespace, name, rule.name);
  const postRouting = mergeTraffic('PostRouting', [
    ...above.traffic,
    ...trafficAt(links.attached, places, 'PostRouting'),
    ...inlineTraffic(route, rule),
  ]);
  const { weighted, mirror } = backendViews({
    route,
    from: { group: GATEWAY_API_GROUP, kind: route.kind, namespace },
    above: [...above.backend, ...backendAt(links.attached, places)],
    links,
  });
  return {
    key: ruleKey(route, ruleIndex),
    route: { kind: route.kind, namespace, name, rule: rule.name },
    matchedPrefix: path.type === 'PathPrefix' ? path.value || '/' : undefined,
    postRouting,
    backends: (rule.backendRefs ?? []).map(weighted),
    mirrors: (postRouting.mirrors ?? []).map(mirror),
  };
}
