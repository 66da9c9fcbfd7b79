import { namespaceOf } from '../../resources/envelope.ts';
import { GATEWAY_API_GROUP } from '../../resources/gateway-api/gateway-api.ts';
import {
  type BackendLinks,
  mirrorView,
  type MirrorView,
  type Way,
  type WeightedBackend,
  weightedBackend,
} from '../backends/backend-view.ts';
import {
  backendContributions,
  type Contribution,
  policiesAlong,
  trafficContributions,
} from '../policies/contributions.ts';
import type { BackendSection, EffectiveTraffic, TrafficSection } from '../policies/effective-policy.ts';
import { inlineTraffic } from '../policies/inline.ts';
import { mergeTraffic } from '../policies/merge.ts';
import { placesOfRule } from '../policies/places.ts';
import type { PathMatch, RouteMatch, RouteRule } from './route-match.ts';

/** A rule of a route, whichever of its matches reached it. */
export interface MergedRule {
  /** `namespace/name.ruleIndex`: trace `selectedRoute`. */
  readonly key: string;
  readonly route: {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly rule: string | undefined;
  };
  /** Merged PostRouting policy, inline route filters included: trace phase `route`. */
  readonly postRouting: EffectiveTraffic;
  readonly backends: readonly WeightedBackend[];
  /** Where the mirror filters of the rule send their copies, in their order. */
  readonly mirrors: readonly MirrorView[];
}

/** A rule as one of its matches reached it. */
export interface RuleView extends MergedRule {
  /** The path prefix that matched, when the match is a prefix, without trailing slash (`/` for every path). */
  readonly matchedPrefix: string | undefined;
}

/** What is said above every route of a listener. */
export interface ListenerContributions {
  readonly traffic: readonly Contribution<TrafficSection>[];
  readonly backend: readonly Contribution<BackendSection>[];
}

/** Everything a request needs from the rules of the matches: each merged once, and as every match reaches it. */
export function ruleViews(
  matches: readonly RouteMatch[],
  above: ListenerContributions,
  links: BackendLinks,
): { readonly rules: readonly MergedRule[]; readonly views: ReadonlyMap<RouteMatch, RuleView> } {
  const rules: MergedRule[] = [];
  const views = new Map<RouteMatch, RuleView>();
  for (const [rule, reaching] of Map.groupBy(matches, (match) => match.rule)) {
    const merged = mergeRule(rule, above, links);
    rules.push(merged);
    for (const match of reaching) views.set(match, { ...merged, matchedPrefix: prefixOf(match.path) });
  }
  return { rules, views };
}

function mergeRule({ key, route, spec }: RouteRule, above: ListenerContributions, links: BackendLinks): MergedRule {
  const namespace = namespaceOf(route);
  const { name } = route.metadata;
  const placed = policiesAlong(placesOfRule(namespace, name, spec.name), links.policiesAt);
  const postRouting = mergeTraffic('PostRouting', [
    ...above.traffic,
    ...trafficContributions(placed, 'PostRouting'),
    ...inlineTraffic(route, spec),
  ]);
  const way: Way = {
    route,
    from: { group: GATEWAY_API_GROUP, kind: route.kind, namespace },
    above: [...above.backend, ...backendContributions(placed)],
    links,
  };
  return {
    key,
    route: { kind: route.kind, namespace, name, rule: spec.name },
    postRouting,
    backends: (spec.backendRefs ?? []).map((ref) => weightedBackend(way, ref)),
    mirrors: (postRouting.mirrors ?? []).map((mirror) => mirrorView(way, mirror)),
  };
}

function prefixOf({ type, value }: PathMatch): string | undefined {
  return type === 'PathPrefix' ? value || '/' : undefined;
}
