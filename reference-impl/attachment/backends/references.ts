import { namespaceOf, PROXY_API_GROUP } from '../../resources/envelope.ts';
import { type EndpointSlice, SERVICE_NAME_LABEL } from '../../resources/core/endpoint-slice.ts';
import type { Pod } from '../../resources/core/pod.ts';
import type { Service, ServicePort } from '../../resources/core/service.ts';
import type { ReferenceGrant } from '../../resources/gateway-api/reference-grant.ts';
import { INFERENCE_API_GROUP, type InferencePool } from '../../resources/inference/inference-pool.ts';
import type { ProxyBackend } from '../../resources/proxy-backend/backend.ts';
import type { NamedLLMProvider } from '../../resources/proxy-backend/variants/ai.ts';
import type { LLMProvider } from '../../resources/proxy-backend/variants/llm-provider.ts';
import {
  backendOf,
  type BackendObjectReference,
  type LocalBackendObjectReference,
} from '../../resources/references.ts';
import type { Snapshot } from '../../store/snapshot.ts';
import { poolMembers } from './pool-members.ts';
import type { Target } from '../policies/targets.ts';

/** Where to connect to. */
export type Endpoint =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

/** Why a reference leads nowhere. */
export type Unresolved = 'backendNotFound' | 'serviceNotFound' | 'backendInvalid';

/** What a reference leads to, before any policy. */
export type Resolved =
  | {
      readonly type: 'static' | 'service' | 'ai';
      readonly target: Target;
      /** Names the section goes by: number and name of a Service port; a pool has none. */
      readonly sections: readonly string[];
      readonly endpoints: readonly Endpoint[];
      /** Set when the destination is a ProxyBackend. */
      readonly proxyBackend: ProxyBackend | undefined;
      /** Set when the destination is an LLM provider; it knows its host itself unless `endpoints` has some. */
      readonly provider?: LLMProvider;
      /** Set when it is groups of them, in priority order. */
      readonly groups?: readonly (readonly ResolvedProvider[])[];
    }
  | {
      readonly unresolved: Unresolved;
      /** As the condition ResolvedRefs of a route gives it. */
      readonly reason: 'BackendNotFound' | 'RefNotPermitted' | 'InvalidKind' | 'UnsupportedValue';
      readonly message: string;
    };

/** One provider of a group; without `endpoints` of its own, and no Service named, it knows its host itself. */
export interface ResolvedProvider {
  readonly provider: NamedLLMProvider;
  readonly endpoints: readonly Endpoint[];
}

/** The object a reference stands in. */
export interface Referrer {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
}

export type ResolveBackend = (from: Referrer, ref: BackendObjectReference) => Resolved;

/** Resolves references to Services, InferencePools and ProxyBackends against one snapshot. */
export function backendResolver(snapshot: Snapshot): ResolveBackend {
  const slices = Map.groupBy(snapshot.byKind('EndpointSlice'), serviceOfSlice);
  const pods = Map.groupBy(snapshot.byKind('Pod'), namespaceOf);
  const grants = snapshot.byKind('ReferenceGrant');
  const resolve: ResolveBackend = (from, ref) => {
    const { group = '', kind = 'Service', name, namespace = from.namespace } = ref;
    const target: Target = { group, kind, namespace, name };
    const id = `${namespace}/${name}`;
    if (namespace !== from.namespace && !isGranted(grants, from, target)) {
      return broken(
        'backendInvalid',
        'RefNotPermitted',
        `reference to ${kind} ${id} is not permitted, missing a ReferenceGrant?`,
      );
    }
    if (group === '' && kind === 'Service') {
      return toService(snapshot.get('Service', namespace, name), target, slices.get(id) ?? [], ref.port);
    }
    if (group === INFERENCE_API_GROUP && kind === 'InferencePool') {
      return toPool(snapshot.get('InferencePool', namespace, name), target, pods.get(namespace) ?? []);
    }
    if (group === PROXY_API_GROUP && kind === 'ProxyBackend') {
      const backend = snapshot.get('ProxyBackend', namespace, name);
      if (backend?.spec.ai === undefined) return toProxyBackend(backend, target);
      const { provider, groups = [] } = backend.spec.ai;
      const nearby: Nearby = (own) => resolve(target, backendOf(own));
      return provider === undefined
        ? toGroups(backend, groups, target, nearby)
        : toProvider(backend, provider, target, nearby);
    }
    return broken('backendInvalid', 'InvalidKind', `kind ${kind} of group "${group}" cannot be a backend`);
  };
  return resolve;
}

/** Whether a ReferenceGrant in the target's namespace lets the referrer name the target. */
function isGranted(grants: readonly ReferenceGrant[], from: Referrer, target: Target): boolean {
  return grants.some(
    (grant) =>
      namespaceOf(grant) === target.namespace &&
      grant.spec.from.some(
        ({ group, kind, namespace }) => group === from.group && kind === from.kind && namespace === from.namespace,
      ) &&
      grant.spec.to.some(
        ({ group, kind, name }) =>
          group === target.group && kind === target.kind && (name ?? target.name) === target.name,
      ),
  );
}

function toService(
  service: Service | undefined,
  target: Target,
  slices: readonly EndpointSlice[],
  number: number | undefined,
): Resolved {
  const id = `${target.namespace}/${target.name}`;
  if (service === undefined) return broken('serviceNotFound', 'BackendNotFound', `unable to find the Service ${id}`);
  if (number === undefined) return broken('backendInvalid', 'UnsupportedValue', 'port is required for Service targets');
  const port = service.spec.ports?.find((candidate) => candidate.port === number);
  if (port === undefined)
    return broken('backendInvalid', 'BackendNotFound', `port ${number} not found in Service ${id}`);
  return {
    type: 'service',
    target,
    sections: [String(port.port), ...(port.name === undefined ? [] : [port.name])],
    endpoints: slices.flatMap((slice) => endpointsOf(slice, port)),
    proxyBackend: undefined,
  };
}

/** A pool has no ports to name: a port of the reference says nothing about where its Pods listen. */
function toPool(pool: InferencePool | undefined, target: Target, pods: readonly Pod[]): Resolved {
  if (pool === undefined) {
    const message = `unable to find the InferencePool ${target.namespace}/${target.name}`;
    return broken('backendNotFound', 'BackendNotFound', message);
  }
  return { type: 'service', target, sections: [], endpoints: poolMembers(pool, pods), proxyBackend: undefined };
}

/** Addresses that may receive traffic; the slice's port of the same name is where they listen. */
function endpointsOf(slice: EndpointSlice, servicePort: ServicePort): readonly Endpoint[] {
  const { targetPort } = servicePort;
  const declared = slice.ports?.find(({ name = '' }) => name === (servicePort.name ?? ''))?.port;
  const port = declared ?? (typeof targetPort === 'string' ? undefined : (targetPort ?? servicePort.port));
  if (port === undefined) return [];
  return (slice.endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false)
    .flatMap(({ addresses }) => addresses.map((host): Endpoint => ({ kind: 'tcp', host, port })));
}

function toProxyBackend(backend: ProxyBackend | undefined, target: Target): Resolved {
  if (backend === undefined) {
    return broken(
      'backendNotFound',
      'BackendNotFound',
      `unable to find the ProxyBackend ${target.namespace}/${target.name}`,
    );
  }
  const endpoint = staticEndpoint(backend);
  if (endpoint === undefined) return broken('backendInvalid', 'UnsupportedValue', UNSUPPORTED_BACKEND);
  return {
    type: 'static',
    target,
    sections: [],
    endpoints: [endpoint],
    proxyBackend: backend,
  };
}

/** What is said of a backend whose type cannot be served. */
export const UNSUPPORTED_BACKEND = 'only static and ai backends are supported';

/** A Service or InferencePool of the namespace of the backend. */
type Nearby = (ref: LocalBackendObjectReference) => Resolved;

/** PROV-033, PROV-037: a provider of one's own may be a Service or InferencePool of the same namespace. */
function toProvider(proxyBackend: ProxyBackend, provider: LLMProvider, target: Target, nearby: Nearby): Resolved {
  const reached = { type: 'ai', target, sections: [], proxyBackend, provider } as const;
  const ref = provider.custom?.backendRef;
  if (ref === undefined) return { ...reached, endpoints: [] };
  const resolved = nearby(ref);
  return 'unresolved' in resolved ? resolved : { ...reached, endpoints: resolved.endpoints };
}

/** PROV-001: a provider whose Service or InferencePool cannot be found is as one without endpoints; the others still serve. */
function toGroups(
  proxyBackend: ProxyBackend,
  groups: readonly { readonly providers: readonly NamedLLMProvider[] }[],
  target: Target,
  nearby: Nearby,
): Resolved {
  const member = (provider: NamedLLMProvider): ResolvedProvider => {
    const resolved = toProvider(proxyBackend, provider, target, nearby);
    return { provider, endpoints: 'unresolved' in resolved ? [] : resolved.endpoints };
  };
  const resolved = groups.map(({ providers }) => providers.map(member));
  return { type: 'ai', target, sections: [], proxyBackend, endpoints: [], groups: resolved };
}

/** Where a static backend is; undefined for every other type. */
export function staticEndpoint({ spec }: ProxyBackend): Endpoint | undefined {
  if (spec.static === undefined) return undefined;
  const { host, port, unixPath } = spec.static;
  if (unixPath !== undefined) return { kind: 'unix', path: unixPath };
  return host === undefined || port === undefined ? undefined : { kind: 'tcp', host, port };
}

type Broken = Extract<Resolved, { readonly unresolved: Unresolved }>;

function broken(unresolved: Unresolved, reason: Broken['reason'], message: string): Broken {
  return { unresolved, reason, message };
}

function serviceOfSlice(slice: EndpointSlice): string {
  return `${namespaceOf(slice)}/${slice.metadata.labels?.[SERVICE_NAME_LABEL] ?? ''}`;
}
