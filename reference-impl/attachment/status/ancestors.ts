import type { Service } from '../../resources/core/service.ts';
import { namespaceOf } from '../../resources/envelope.ts';
import { GATEWAY_API_GROUP } from '../../resources/gateway-api/gateway-api.ts';
import type { Gateway } from '../../resources/gateway-api/gateway.ts';
import type { HTTPRoute } from '../../resources/gateway-api/http-route.ts';
import type { ProxyBackend } from '../../resources/proxy-backend/backend.ts';
import { groupOf, isKindName, type KindName, KINDS } from '../../resources/kinds.ts';
import type { Links } from '../links.ts';
import { backendRefsOf } from './route-status.ts';
import type { Target } from '../policies/targets.ts';

/** The Gateways a target belongs to; or, in words, why a policy on it has no effect. */
export interface Ancestry {
  readonly gateways: readonly Gateway[];
  readonly problem: string | undefined;
}

export type Ancestors = (target: Target) => Ancestry;

/** Finds the Gateways a target of a policy belongs to. */
export function ancestorsOf(links: Links): Ancestors {
  const routes = links.snapshot.byKind('HTTPRoute');
  const byBackend = gatewaysByBackend(routes, links);
  return (target) => {
    const known = partsOf(target, links);
    const id = `${target.kind} ${target.namespace}/${target.name}`;
    if (known === undefined) return { gateways: [], problem: `${id} not found` };
    const { sectionName, port } = target;
    if (sectionName !== undefined && !known.sections.includes(sectionName)) {
      return { gateways: [], problem: `sectionName "${sectionName}" not found in ${id}` };
    }
    if (port !== undefined && !known.ports.includes(port)) {
      return { gateways: [], problem: `port ${port} not found in ${id}` };
    }
    const gateways = known.gateways ?? [...(byBackend.get(id) ?? [])];
    return { gateways, problem: gateways.length === 0 ? `${id} is not attached to any Gateway` : undefined };
  };
}

interface Parts {
  readonly sections: readonly string[];
  readonly ports: readonly number[];
  /** Absent for destinations: their Gateways are those of the routes that lead to them. */
  readonly gateways?: readonly Gateway[];
}

/** The named parts of the object a target names; undefined when there is no such object. */
function partsOf(target: Target, links: Links): Parts | undefined {
  const { group, kind } = target;
  if (!isKindName(kind) || groupOf(KINDS[kind].apiVersion) !== group) return undefined;
  return PARTS[kind]?.(target, links);
}

const PARTS: Readonly<Partial<Record<KindName, typeof partsOf>>> = {
  Gateway: ({ namespace, name }, { snapshot }) => {
    const gateway = snapshot.get('Gateway', namespace, name);
    return gateway && { ...listenersAs(gateway.spec.listeners), gateways: [gateway] };
  },
  ListenerSet: ({ namespace, name }, { snapshot, listeners }) => {
    const set = snapshot.get('ListenerSet', namespace, name);
    const parents = listeners.filter(({ listenerSet }) => listenerSet === set).map(({ gateway }) => gateway);
    return set && { ...listenersAs(set.spec.listeners), gateways: [...new Set(parents)] };
  },
  HTTPRoute: ({ namespace, name }, links) => {
    const route = links.snapshot.get('HTTPRoute', namespace, name);
    return route && { sections: ruleNames(route), ports: [], gateways: gatewaysOf(route, links) };
  },
  Service: ({ namespace, name }, { snapshot }) => {
    const service = snapshot.get('Service', namespace, name);
    return service && { sections: portNames(service), ports: [] };
  },
  // Its ports have no names, and one policy is for all of them.
  InferencePool: ({ namespace, name }, { snapshot }) =>
    snapshot.get('InferencePool', namespace, name) && { sections: [], ports: [] },
  ProxyBackend: ({ namespace, name }, { snapshot }) => {
    const backend = snapshot.get('ProxyBackend', namespace, name);
    return backend && { sections: subBackends(backend), ports: [] };
  },
};

function listenersAs(listeners: Gateway['spec']['listeners']): Parts {
  return { sections: listeners.map(({ name }) => name), ports: listeners.map(({ port }) => port) };
}

function ruleNames(route: HTTPRoute): readonly string[] {
  return (route.spec.rules ?? []).flatMap(({ name }) => (name === undefined ? [] : [name]));
}

/** ATTACH-013: a port goes by its number, and by its name. */
function portNames({ spec }: Service): readonly string[] {
  return (spec.ports ?? []).flatMap(({ name, port }) => (name === undefined ? [String(port)] : [String(port), name]));
}

/** ATTACH-014: the named providers of an ai backend, the targets of an mcp backend. */
function subBackends({ spec }: ProxyBackend): readonly string[] {
  const providers = (spec.ai?.groups ?? []).flatMap((group) => group.providers);
  return [...providers, ...(spec.mcp?.targets ?? [])].map(({ name }) => name);
}

function gatewaysOf(route: HTTPRoute, { parentsOf }: Links): readonly Gateway[] {
  return [...new Set(parentsOf(route).flatMap(({ listeners }) => listeners.map(({ gateway }) => gateway)))];
}

/** By `Kind namespace/name` of every backend some attached route names. */
function gatewaysByBackend(routes: readonly HTTPRoute[], links: Links): ReadonlyMap<string, ReadonlySet<Gateway>> {
  const found = new Map<string, Set<Gateway>>();
  for (const route of routes) {
    const from = { group: GATEWAY_API_GROUP, kind: route.kind, namespace: namespaceOf(route) };
    const gateways = gatewaysOf(route, links);
    for (const ref of backendRefsOf(route)) {
      const resolved = links.resolve(from, ref);
      if ('unresolved' in resolved) continue;
      const { kind, namespace, name } = resolved.target;
      const id = `${kind} ${namespace}/${name}`;
      found.set(id, new Set([...(found.get(id) ?? []), ...gateways]));
    }
  }
  return found;
}
