import type { EndpointSlice } from '../../resources/core/endpoint-slice.ts';
import type { Pod } from '../../resources/core/pod.ts';
import { namespaceOf, PROXY_API_GROUP } from '../../resources/envelope.ts';
import { INFERENCE_API_GROUP } from '../../resources/inference/inference-pool.ts';
import type { ProxyBackend } from '../../resources/proxy-backend/backend.ts';
import type { AgentCore } from '../../resources/proxy-backend/variants/cloud-a.ts';
import type { NamedLLMProvider } from '../../resources/proxy-backend/variants/ai.ts';
import type { LLMProvider } from '../../resources/proxy-backend/variants/llm-provider.ts';
import { backendOf, type LocalBackendObjectReference } from '../../resources/references.ts';
import type { Snapshot } from '../../store/snapshot.ts';
import type { Target } from '../policies/targets.ts';
import { agentRuntime } from './agent-runtime.ts';
import { mcpTargets } from './mcp-targets.ts';
import { poolMembers } from './pool-members.ts';
import { isPermitted } from './reference-grants.ts';
import type {
  Endpoint,
  ResolveBackend,
  Resolution,
  ResolvedBackend,
  ResolvedProvider,
  UnresolvedReference,
} from './resolved-backend.ts';
import { serviceEndpoints, serviceOfSlice } from './service-endpoints.ts';

/** Resolves references to Services, InferencePools and ProxyBackends against one snapshot. */
export function backendResolver(snapshot: Snapshot): ResolveBackend {
  const grants = snapshot.byKind('ReferenceGrant');
  const slices = Map.groupBy(snapshot.byKind('EndpointSlice'), serviceOfSlice);
  const pods = Map.groupBy(snapshot.byKind('Pod'), namespaceOf);
  const resolve: ResolveBackend = (from, ref) => {
    const { group = '', kind = 'Service', name, namespace = from.namespace } = ref;
    const target: Target = { group, kind, namespace, name };
    if (!isPermitted(grants, from, target)) {
      const message = `reference to ${kind} ${namespace}/${name} is not permitted, missing a ReferenceGrant?`;
      return leadsNowhere('backendInvalid', 'RefNotPermitted', message);
    }
    const toKind = RESOLVERS[`${kind}.${group}`];
    if (toKind !== undefined) return toKind({ target, port: ref.port, snapshot, slices, pods, resolve });
    return leadsNowhere('backendInvalid', 'InvalidKind', `kind ${kind} of group "${group}" cannot be a backend`);
  };
  return resolve;
}

/** One reference, and where to look. */
interface Search {
  readonly target: Target;
  readonly port: number | undefined;
  readonly snapshot: Snapshot;
  /** By `namespace/name` of their Service. */
  readonly slices: ReadonlyMap<string, readonly EndpointSlice[]>;
  /** By namespace. */
  readonly pods: ReadonlyMap<string, readonly Pod[]>;
  readonly resolve: ResolveBackend;
}

/** By `kind.group`. */
const RESOLVERS: Readonly<Record<string, (search: Search) => Resolution>> = {
  'Service.': toService,
  [`InferencePool.${INFERENCE_API_GROUP}`]: toPool,
  [`ProxyBackend.${PROXY_API_GROUP}`]: toProxyBackend,
};

function toService({ target, port: number, snapshot, slices }: Search): Resolution {
  const { namespace, name } = target;
  const id = `${namespace}/${name}`;
  const service = snapshot.get('Service', namespace, name);
  if (service === undefined) {
    return leadsNowhere('serviceNotFound', 'BackendNotFound', `unable to find the Service ${id}`);
  }
  if (number === undefined) {
    return leadsNowhere('backendInvalid', 'UnsupportedValue', 'port is required for Service targets');
  }
  const port = service.spec.ports?.find((candidate) => candidate.port === number);
  if (port === undefined) {
    return leadsNowhere('backendInvalid', 'BackendNotFound', `port ${number} not found in Service ${id}`);
  }
  return {
    type: 'service',
    target,
    sections: [String(port.port), ...(port.name === undefined ? [] : [port.name])],
    endpoints: serviceEndpoints(slices.get(id) ?? [], port),
    appProtocol: port.appProtocol,
    proxyBackend: undefined,
  };
}

/** A pool has no ports to name: a port of the reference says nothing about where its Pods listen. */
function toPool({ target, snapshot, pods }: Search): Resolution {
  const { namespace, name } = target;
  const pool = snapshot.get('InferencePool', namespace, name);
  if (pool === undefined) {
    return leadsNowhere('backendNotFound', 'BackendNotFound', `unable to find the InferencePool ${namespace}/${name}`);
  }
  const endpoints = poolMembers(pool, pods.get(namespace) ?? []);
  return { type: 'service', target, sections: [], endpoints, proxyBackend: undefined };
}

function toProxyBackend({ target, snapshot, resolve }: Search): Resolution {
  const { namespace, name } = target;
  const backend = snapshot.get('ProxyBackend', namespace, name);
  if (backend === undefined) {
    return leadsNowhere('backendNotFound', 'BackendNotFound', `unable to find the ProxyBackend ${namespace}/${name}`);
  }
  const { ai, mcp, dynamicForwardProxy, cloudA } = backend.spec;
  if (cloudA?.agentCore !== undefined) return toRuntime(backend, cloudA.agentCore, target);
  if (dynamicForwardProxy !== undefined) {
    return { type: 'dynamic', target, sections: [], endpoints: [], proxyBackend: backend };
  }
  if (mcp !== undefined) {
    const targets = mcpTargets(backend, target, snapshot, resolve);
    return { type: 'mcp', target, sections: [], endpoints: [], proxyBackend: backend, mcpTargets: targets };
  }
  if (ai === undefined) return toAddress(backend, target);
  const nearby: Nearby = (ref) => resolve(target, backendOf(ref));
  const { provider, groups = [] } = ai;
  return provider === undefined
    ? toGroups(backend, groups, target, nearby)
    : toProvider(backend, provider, target, nearby);
}

/** CLOUDA-001: the region of a runtime is part of its name. */
function toRuntime(
  proxyBackend: ProxyBackend,
  { agentRuntimeArn: arn, qualifier }: AgentCore,
  target: Target,
): Resolution {
  const runtime = agentRuntime(arn, qualifier);
  if (runtime === undefined) return leadsNowhere('backendInvalid', 'UnsupportedValue', `${arn} names no agent runtime`);
  const endpoint = { kind: 'tcp', host: runtime.host, port: 443 } as const;
  return { type: 'static', target, sections: [], endpoints: [endpoint], proxyBackend, runtime };
}

function toAddress(proxyBackend: ProxyBackend, target: Target): Resolution {
  const endpoint = addressOf(proxyBackend);
  if (endpoint === undefined) return leadsNowhere('backendInvalid', 'UnsupportedValue', UNSUPPORTED_BACKEND);
  const type = proxyBackend.spec.a2a === undefined ? 'static' : 'a2a';
  return { type, target, sections: [], endpoints: [endpoint], proxyBackend };
}

/** What is said of a backend whose type cannot be served. */
export const UNSUPPORTED_BACKEND = 'only static, dynamicForwardProxy, ai, mcp, a2a and cloudA backends are supported';

/** Where a static backend or an agent is (A2A-001); undefined for every other type. */
export function addressOf({ spec }: ProxyBackend): Endpoint | undefined {
  if (spec.a2a !== undefined) return { kind: 'tcp', ...spec.a2a };
  if (spec.static === undefined) return undefined;
  const { host, port, unixPath } = spec.static;
  if (unixPath !== undefined) return { kind: 'unix', path: unixPath };
  return host === undefined || port === undefined ? undefined : { kind: 'tcp', host, port };
}

/** A Service or InferencePool of the namespace of the backend. */
type Nearby = (ref: LocalBackendObjectReference) => Resolution;

/** PROV-033, PROV-037: a provider of one's own may be a Service or InferencePool of the same namespace. */
function toProvider(proxyBackend: ProxyBackend, provider: LLMProvider, target: Target, nearby: Nearby): Resolution {
  const resolved = { type: 'ai', target, sections: [], proxyBackend, provider } as const;
  const ref = provider.custom?.backendRef;
  if (ref === undefined) return { ...resolved, endpoints: [] };
  const behind = nearby(ref);
  if ('unresolved' in behind) return behind;
  const { endpoints, appProtocol } = behind;
  return { ...resolved, endpoints, appProtocol, service: { target: behind.target, sections: behind.sections } };
}

/** PROV-001: a provider whose Service or InferencePool cannot be found is as one without endpoints; the others still serve. */
function toGroups(
  proxyBackend: ProxyBackend,
  groups: readonly { readonly providers: readonly NamedLLMProvider[] }[],
  target: Target,
  nearby: Nearby,
): ResolvedBackend {
  const member = (provider: NamedLLMProvider): ResolvedProvider => {
    const resolved = toProvider(proxyBackend, provider, target, nearby);
    const { endpoints, appProtocol, service } = 'unresolved' in resolved ? NOWHERE : resolved;
    return { provider, endpoints, appProtocol, service };
  };
  const members = groups.map(({ providers }) => providers.map(member));
  return { type: 'ai', target, sections: [], proxyBackend, endpoints: [], groups: members };
}

const NOWHERE = { endpoints: [], appProtocol: undefined, service: undefined };

function leadsNowhere(
  unresolved: UnresolvedReference['unresolved'],
  reason: UnresolvedReference['reason'],
  message: string,
): UnresolvedReference {
  return { unresolved, reason, message };
}
