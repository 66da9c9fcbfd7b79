import { namespaceOf } from '../resources/envelope.ts';
import type { HTTPBackendRef, HTTPRoute } from '../resources/gateway-api/http-route.ts';
import type { BackendObjectReference } from '../resources/references.ts';
import type { RequestMirror } from '../resources/gateway-api/http-route-filter.ts';
import type { LLMProvider } from '../resources/proxy-backend/variants/llm-provider.ts';
import { backendAt, placesOfBackend } from './contributions.ts';
import { inlineBackend, inlineBackendRef } from './inline.ts';
import type { Links } from './links.ts';
import type { BackendSection } from './effective-policy.ts';
import { type Contribution, type EffectiveBackend, mergeBackend } from './merge.ts';
import type { Endpoint, Referrer, Resolved, Unresolved } from './references.ts';

export interface WeightedBackend {
  readonly weight: number;
  /** What the route names, whether or not it exists. */
  readonly ref: BackendRefView;
  /** Or the reason it cannot be used. */
  readonly backend: BackendView | UnresolvedBackend;
}

export interface BackendRefView {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly port: number | undefined;
}

export interface UnresolvedBackend {
  readonly unresolved: Unresolved;
  /** For status and logs. */
  readonly message: string;
}

export interface BackendView {
  /** `namespace/name`, a path-like identifier (TRACE-032). */
  readonly name: string;
  readonly type: 'static' | 'service' | 'ai';
  readonly protocol: 'http' | 'ai';
  /** Of an ai backend only when a Service stands for the provider; otherwise the provider's own host is meant. */
  readonly endpoints: readonly Endpoint[];
  /** Set when the protocol is `ai`. */
  readonly provider?: LLMProvider;
  /** Merged for the way it was reached: trace phase `backend`. */
  readonly policies: EffectiveBackend;
  /** Where the mirror filters of the backendRef send their copies. */
  readonly mirrors: readonly MirrorView[];
}

/** MERGE-009: a backend as a policy reaches it, without a route: what is attached to it, and what it says itself. */
export function backendOfPolicy(
  links: Links,
  from: Referrer,
  ref: BackendObjectReference,
): BackendView | UnresolvedBackend {
  const resolved = links.resolve(from, ref);
  return 'unresolved' in resolved ? resolved : { ...reached(resolved, saidOf(resolved, links)), mirrors: [] };
}

export interface MirrorView {
  /** Share of the requests that are copied, 0 to 1. */
  readonly share: number;
  readonly backend: BackendView | UnresolvedBackend;
}

/** The rule a backend is reached through. */
export interface Way {
  readonly route: HTTPRoute;
  readonly from: Referrer;
  /** What is said about backends on the way here, from the Gateway to the rule. */
  readonly above: readonly Contribution<BackendSection>[];
  readonly links: Links;
}

/** ATTACH-016, ATTACH-023: resolves and merges each backend on its own, for the way it is reached. */
export function backendViews(way: Way): {
  readonly weighted: (ref: HTTPBackendRef) => WeightedBackend;
  readonly mirror: (mirror: RequestMirror) => MirrorView;
} {
  return {
    weighted: (ref) => ({
      weight: ref.weight ?? 1,
      ref: {
        kind: ref.kind ?? 'Service',
        namespace: ref.namespace ?? namespaceOf(way.route),
        name: ref.name,
        port: ref.port,
      },
      backend: backendView(way, ref),
    }),
    mirror: (mirror) => mirrorView(way, mirror),
  };
}

function backendView(way: Way, ref: HTTPBackendRef): BackendView | UnresolvedBackend {
  const resolved = way.links.resolve(way.from, ref);
  if ('unresolved' in resolved) return resolved;
  const said = [...way.above, ...saidOf(resolved, way.links), ...inlineBackendRef(way.route, ref)];
  const backend = reached(resolved, said);
  return { ...backend, mirrors: (backend.policies.mirrors ?? []).map((mirror) => mirrorView(way, mirror)) };
}

type Destination = Exclude<Resolved, { readonly unresolved: Unresolved }>;

/** What is said about a backend however it is reached: attached to it, and inside it. */
function saidOf(
  { target, sections, proxyBackend }: Destination,
  links: Links,
): readonly Contribution<BackendSection>[] {
  return [
    ...backendAt(links.attached, placesOfBackend(target, sections)),
    ...(proxyBackend === undefined ? [] : inlineBackend(proxyBackend)),
  ];
}

function reached(
  { target, type, endpoints, provider }: Destination,
  said: readonly Contribution<BackendSection>[],
): Omit<BackendView, 'mirrors'> {
  const name = `${target.namespace}/${target.name}`;
  const spoken = provider === undefined ? ({ protocol: 'http' } as const) : ({ protocol: 'ai', provider } as const);
  return { name, type, ...spoken, endpoints, policies: mergeBackend(said) };
}

/** Every request is copied unless the filter says how many. */
function mirrorView(way: Way, { backendRef, percent, fraction }: RequestMirror): MirrorView {
  const ofFraction = fraction && fraction.numerator / (fraction.denominator ?? 100);
  const share = percent === undefined ? (ofFraction ?? 1) : percent / 100;
  return { share, backend: backendView(way, backendRef) };
}
