import { AuthoringError } from '../values/authoring-error.ts';
import type { Path } from '../values/check.ts';
import { isList, isObject } from '../values/json.ts';
import type { JsonObject } from '../values/json.ts';
import type { Topology } from './concrete-case.ts';
import { API_VERSIONS, CLUSTER_KINDS, GATEWAY_GROUP, PROXY_GROUP } from './kinds.ts';
import { providerAt } from './provider-place.ts';

/** What the shorthand of `config` is filled from. */
export interface ShorthandFacts {
  readonly namespace: string;
  readonly topology: Topology;
  /** Host and port (or socket) of each running peer. */
  readonly peers: Readonly<Record<string, JsonObject>>;
  /** Told the name of each peer that a backendRef needs a ProxyBackend for. */
  readonly referred: (peer: string) => void;
  readonly at: Path;
}

/** Where a policy attaches, by the word after `at`. */
const TARGETS: Readonly<Record<string, (written: JsonObject, topology: Topology) => JsonObject>> = {
  gateway: (written, topology) => gatewayRef(textOf(written['name']) ?? topology.gateway?.name ?? 'gw'),
  listener: (written, topology) => ({
    ...gatewayRef(textOf(written['gateway']) ?? topology.gateway?.name ?? 'gw'),
    sectionName: textOf(written['name']) ?? topology.listeners[0]?.name ?? 'http',
  }),
  listenerSet: (written) => ({ group: GATEWAY_GROUP, kind: 'ListenerSet', name: textOf(written['name']) ?? 'ls' }),
  route: (written, topology) => routeRef(textOf(written['name']) ?? topology.routes[0]?.name ?? 'r'),
  rule: (written, topology) => {
    const route = textOf(written['route']) ?? topology.routes[0]?.name ?? 'r';
    const rules = topology.routes.find(({ name }) => name === route)?.rules;
    return { ...routeRef(route), sectionName: textOf(written['name']) ?? rules?.[0]?.name ?? 'rule' };
  },
  backend: (written, topology) => ({
    group: PROXY_GROUP,
    kind: 'ProxyBackend',
    name: textOf(written['name']) ?? firstTarget(topology, ['peer', 'backend']) ?? 'up',
  }),
  service: (written, topology) => ({
    group: '',
    kind: 'Service',
    name: textOf(written['name']) ?? firstTarget(topology, ['service']) ?? 'up',
  }),
};

/** The words that may stand after `at` in a target. */
export const TARGET_WORDS: readonly string[] = Object.keys(TARGETS);

/**
 * A resource with its shorthand filled: apiVersion by kind, the case's namespace, `{at: …}` targets and `{peer: …}`.
 * Throws `AuthoringError` for a kind without a default apiVersion, an unknown target word or an unknown peer.
 */
export function fillResource(resource: JsonObject, facts: ShorthandFacts): JsonObject {
  const kind = String(resource['kind']);
  const { apiVersion = API_VERSIONS[kind], kind: _kind, metadata, ...rest } = resource;
  if (apiVersion === undefined) throw new AuthoringError(`kind ${kind} needs an apiVersion`, facts.at);
  const place = CLUSTER_KINDS.has(kind) ? {} : { namespace: facts.namespace };
  return {
    apiVersion,
    kind,
    metadata: { ...place, ...(isObject(metadata) ? metadata : {}) },
    ...fillObject(rest, '', facts),
  };
}

function fillObject(object: JsonObject, key: string, facts: ShorthandFacts): JsonObject {
  if (typeof object['peer'] === 'string') return fillPeer(object, object['peer'], key, facts);
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, fillValue(value, name, facts)]));
}

function fillValue(value: unknown, key: string, facts: ShorthandFacts): unknown {
  if (isList(value)) return value.map((item) => fillValue(item, key, facts));
  if (!isObject(value)) return value;
  const isTarget = (key === 'targetRefs' || key === 'targetSelectors') && typeof value['at'] === 'string';
  return isTarget ? fillTarget(value, key, facts) : fillObject(value, key, facts);
}

function fillTarget(written: JsonObject, key: string, { topology, at }: ShorthandFacts): JsonObject {
  const { at: word, name: _name, route: _route, gateway: _gateway, ...rest } = written;
  const target = TARGETS[String(word)]?.(written, topology);
  if (target === undefined) {
    throw new AuthoringError(`at: ${String(word)} is no target; known are ${TARGET_WORDS.join(', ')}`, at);
  }
  const { name, ...kind } = target;
  return key === 'targetSelectors' ? { ...kind, ...rest } : { ...kind, name, ...rest };
}

function fillPeer(written: JsonObject, peer: string, key: string, facts: ShorthandFacts): JsonObject {
  const { peer: _peer, ...rest } = written;
  const address = facts.peers[peer];
  if (address === undefined) {
    throw new AuthoringError(`unknown peer ${peer}; known are ${Object.keys(facts.peers).join(', ')}`, facts.at);
  }
  if (key === 'backendRef' || key === 'backendRefs') {
    facts.referred(peer);
    return { group: PROXY_GROUP, kind: 'ProxyBackend', name: peer, ...rest };
  }
  if (PROVIDERS.has(key)) return providerAt(peerAddress(address), fillObject(rest, key, facts));
  return { ...peerAddress(address), ...rest };
}

/** What a backend of models calls its provider, or the providers of a group. */
const PROVIDERS: ReadonlySet<string> = new Set(['provider', 'providers']);

/** What reaches a peer: `host` and `port`, or `unixPath`. */
export function peerAddress(address: JsonObject): JsonObject {
  if (typeof address['socket'] === 'string') return { unixPath: address['socket'] };
  return { host: address['host'], port: address['port'] };
}

function gatewayRef(name: string): JsonObject {
  return { group: GATEWAY_GROUP, kind: 'Gateway', name };
}

function routeRef(name: string): JsonObject {
  return { group: GATEWAY_GROUP, kind: 'HTTPRoute', name };
}

function firstTarget(topology: Topology, kinds: readonly string[]): string | undefined {
  const targets = topology.routes.flatMap(({ rules }) => rules.flatMap(({ to }) => to));
  return targets.find(({ kind }) => kinds.includes(kind))?.name;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
