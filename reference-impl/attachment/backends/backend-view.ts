import { namespaceOf } from '../../resources/envelope.ts';
import type { HTTPBackendRef, HTTPRoute } from '../../resources/gateway-api/http-route.ts';
import type { RequestMirror } from '../../resources/gateway-api/http-route-filter.ts';
import type { LLMProvider } from '../../resources/proxy-backend/variants/llm-provider.ts';
import type { BackendObjectReference } from '../../resources/references.ts';
import { backendContributions, type Contribution, policiesAlong } from '../policies/contributions.ts';
import type { BackendSection, EffectiveBackend } from '../policies/effective-policy.ts';
import { inlineBackend, inlineBackendRef, inlineMcpTarget, inlineProvider } from '../policies/inline.ts';
import type { MCPBackend } from '../../resources/proxy-backend/variants/mcp.ts';
import { mergeBackend } from '../policies/merge.ts';
import { type Place, placesOfBackend } from '../policies/places.ts';
import type { PoliciesAt } from '../policies/targets.ts';
import type { AgentRuntime } from './agent-runtime.ts';
import { perObject } from '../../base/per-object.ts';
import type {
  Endpoint,
  McpTransport,
  Referrer,
  ResolveBackend,
  ResolvedBackend,
  ResolvedMcpTarget,
  ResolvedProvider,
  ServicePlace,
  Unresolved,
} from './resolved-backend.ts';

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
  /** `kind/namespace/name`, the port of a Service, the name of a provider: what is known of its health goes by it. */
  readonly key: string;
  /** `service` is an InferencePool as well; `dynamic` has no endpoints, a request names its own (DFP-001). */
  readonly type: 'static' | 'dynamic' | 'service' | 'ai' | 'mcp' | 'a2a';
  readonly protocol: 'http' | 'ai' | 'mcp' | 'a2a';
  /** Of an ai backend only when a Service or InferencePool stands for the provider; otherwise the provider's own host is meant. */
  readonly endpoints: readonly Endpoint[];
  /** BHTTP-003: what the port of the Service says is spoken there. */
  readonly appProtocol?: string;
  /** Set when the protocol is `ai`, unless `groups` is. */
  readonly provider?: LLMProvider;
  /** Set when a ProxyModel names the provider: what is spoken follows from the path of the request. */
  readonly model?: ModelDestination;
  /** Providers in priority order, each a backend of its own; one of them is chosen for every attempt (PROV-002). */
  readonly groups?: readonly (readonly BackendView[])[];
  /** Set when the protocol is `mcp`. */
  readonly mcp?: McpView;
  /** Of cloud A; the only endpoint is then that of its region. */
  readonly runtime?: AgentRuntime;
  /** Merged for the way it was reached: trace phase `backend`. */
  readonly policies: EffectiveBackend;
  /** Where the mirror filters of the backendRef send their copies. */
  readonly mirrors: readonly MirrorView[];
}

/** MCP servers behind one endpoint. */
export interface McpView {
  /** MCP-003: whether clients have sessions. */
  readonly stateful: boolean;
  /** MCP-007, MCP-008: whether servers that fail are left out. */
  readonly failOpen: boolean;
  readonly prefixMode: NonNullable<MCPBackend['prefixMode']>;
  /** In the order of the configuration. */
  readonly targets: readonly McpTargetView[];
}

/** One MCP server. */
export interface McpTargetView {
  readonly name: string;
  readonly transport: McpTransport;
  readonly path: string;
  /** Its endpoints, and how they are spoken to. */
  readonly backend: BackendView;
}

export interface ModelDestination {
  /** Whether the connection is encrypted where no policy says so; undefined leaves it to the provider. */
  readonly encrypted: boolean | undefined;
  /** What the provider is called by expressions, where it is not one of the variants. */
  readonly called: string | undefined;
}

export interface MirrorView {
  /** Share of the requests that are copied, 0 to 1. */
  readonly share: number;
  readonly backend: BackendView | UnresolvedBackend;
}

/** What backends are found with, and what is said about them. */
export interface BackendLinks {
  readonly resolve: ResolveBackend;
  readonly policiesAt: PoliciesAt;
}

/** JWT-014: a backend as a policy reaches it, without a route: what is attached to it, and what it says itself. */
export function backendOfPolicy(
  links: BackendLinks,
  from: Referrer,
  ref: BackendObjectReference,
): BackendView | UnresolvedBackend {
  const resolved = links.resolve(from, ref);
  if ('unresolved' in resolved) return resolved;
  return { ...viewOf(resolved, saidOf(resolved, links), links), mirrors: [] };
}

/** The rule a backend is reached through. */
export interface Way {
  readonly route: HTTPRoute;
  readonly from: Referrer;
  /** What is said about backends on the way here, from the Gateway to the rule. */
  readonly above: readonly Contribution<BackendSection>[];
  readonly links: BackendLinks;
}

/** ATTACH-016, ATTACH-023: resolves and merges each backend on its own, for the way it is reached. */
export function weightedBackend(way: Way, ref: HTTPBackendRef): WeightedBackend {
  return {
    weight: ref.weight ?? 1,
    ref: {
      kind: ref.kind ?? 'Service',
      namespace: ref.namespace ?? namespaceOf(way.route),
      name: ref.name,
      port: ref.port,
    },
    backend: backendView(way, ref),
  };
}

/** Every request is copied unless the filter says how many. */
export function mirrorView(way: Way, { backendRef, percent, fraction }: RequestMirror): MirrorView {
  const ofFraction = fraction && fraction.numerator / (fraction.denominator ?? 100);
  const share = percent === undefined ? (ofFraction ?? 1) : percent / 100;
  return { share, backend: backendView(way, backendRef) };
}

function backendView(way: Way, ref: HTTPBackendRef): BackendView | UnresolvedBackend {
  const resolved = way.links.resolve(way.from, ref);
  if ('unresolved' in resolved) return resolved;
  const said = [...way.above, ...saidOf(resolved, way.links), ...inlineBackendRef(way.route, ref)];
  const backend = viewOf(resolved, said, way.links);
  return { ...backend, mirrors: (backend.policies.mirrors ?? []).map((mirror) => mirrorView(way, mirror)) };
}

/** What is said about a backend however it is reached: attached to it, or to the Service that stands for its provider, and inside it. */
function saidOf(
  { target, sections, service, proxyBackend }: ResolvedBackend,
  { policiesAt }: BackendLinks,
): readonly Contribution<BackendSection>[] {
  return [
    ...backendContributions(policiesAlong(placesOfService(service), policiesAt)),
    ...backendContributions(policiesAlong(placesOfBackend(target, sections), policiesAt)),
    ...(proxyBackend === undefined ? [] : inlineBackend(proxyBackend)),
  ];
}

function viewOf(
  resolved: ResolvedBackend,
  said: readonly Contribution<BackendSection>[],
  links: BackendLinks,
): Omit<BackendView, 'mirrors'> {
  const { target, type, sections, endpoints, appProtocol, provider, groups, mcpTargets, runtime } = resolved;
  const name = `${target.namespace}/${target.name}`;
  const [port] = sections;
  const key = `${target.kind}/${name}${port === undefined ? '' : `:${port}`}`;
  const members = groups?.map((group) => group.map((member) => memberView(resolved, member, said, links)));
  return {
    name,
    key,
    type,
    protocol: type === 'ai' || type === 'mcp' || type === 'a2a' ? type : 'http',
    ...(mcpTargets && { mcp: mcpView(resolved, mcpTargets, said, links) }),
    ...(appProtocol && { appProtocol }),
    ...(provider && { provider }),
    ...(members && { groups: members }),
    ...(runtime && { runtime }),
    endpoints,
    policies: runtime === undefined ? mergeBackend(said) : withTls(mergeBackend(said)),
  };
}

/** A cloud is spoken to with TLS and the roots of the system, unless a policy says which. */
const withTls = perObject((policies: EffectiveBackend): EffectiveBackend => ({ ...policies, tls: policies.tls ?? {} }));

/** ATTACH-015: whoever leads to a Service, what is attached to it holds. */
function placesOfService(service: ServicePlace | undefined): readonly Place[] {
  return service === undefined ? [] : placesOfBackend(service.target, service.sections);
}

/** PROV-006, PROV-007: what is said about the backend, about this provider by its name, and by the provider itself. */
function memberView(
  { target, proxyBackend }: ResolvedBackend,
  { provider, endpoints, appProtocol, service }: ResolvedProvider,
  said: readonly Contribution<BackendSection>[],
  { policiesAt }: BackendLinks,
): BackendView {
  const name = `${target.namespace}/${target.name}`;
  const ofProvider = placesOfBackend(target, [provider.name]).filter(({ level }) => level === 'section');
  const policies = mergeBackend([
    ...said,
    ...backendContributions(policiesAlong(placesOfService(service), policiesAt)),
    ...backendContributions(policiesAlong(ofProvider, policiesAt)),
    ...(proxyBackend === undefined ? [] : inlineProvider(proxyBackend, provider)),
  ]);
  const key = `${target.kind}/${name}/${provider.name}`;
  return {
    name,
    key,
    type: 'ai',
    protocol: 'ai',
    ...(appProtocol && { appProtocol }),
    provider,
    endpoints,
    policies,
    mirrors: [],
  };
}

function mcpView(
  resolved: ResolvedBackend,
  targets: readonly ResolvedMcpTarget[],
  said: readonly Contribution<BackendSection>[],
  links: BackendLinks,
): McpView {
  const settings = resolved.proxyBackend?.spec.mcp;
  return {
    stateful: settings?.sessionRouting !== 'Stateless',
    failOpen: settings?.failureMode === 'FailOpen',
    prefixMode: settings?.prefixMode ?? 'Conditional',
    targets: targets.map((each) => mcpTargetView(resolved, each, said, links)),
  };
}

/**
 * MCP-002, MCP-029: what is said about the whole backend, about the Service the target is, about this target by its
 * name, and by the target itself.
 */
function mcpTargetView(
  { target, proxyBackend }: ResolvedBackend,
  { name, section, transport, path, endpoints, appProtocol, service, policies }: ResolvedMcpTarget,
  said: readonly Contribution<BackendSection>[],
  { policiesAt }: BackendLinks,
): McpTargetView {
  const places = [
    ...placesOfService(service),
    ...placesOfBackend(target, [section]).filter(({ level }) => level === 'section'),
  ];
  const merged = mergeBackend([
    ...said,
    ...backendContributions(policiesAlong(places, policiesAt)),
    ...(proxyBackend === undefined ? [] : inlineMcpTarget(proxyBackend, policies)),
  ]);
  const backend: BackendView = {
    name: `${target.namespace}/${target.name}`,
    key: `${target.kind}/${target.namespace}/${target.name}/${name}`,
    type: service === undefined ? 'static' : 'service',
    protocol: 'http',
    ...(appProtocol && { appProtocol }),
    endpoints,
    policies: merged,
    mirrors: [],
  };
  return { name, transport, path, backend };
}
