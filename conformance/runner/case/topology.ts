import { isObject } from '../values/json.ts';
import type { JsonObject } from '../values/json.ts';
import { interpolate } from '../values/variables.ts';
import type { Scope } from '../values/variables.ts';
import type {
  ConcreteCase,
  Topology,
  TopologyListener,
  TopologyRoute,
  TopologyRule,
  TopologyTarget,
} from './concrete-case.ts';
import { API_VERSIONS, GATEWAY_GROUP, PROXY_GROUP } from './kinds.ts';
import { fillResource, peerAddress } from './shorthand.ts';
import type { ShorthandFacts } from './shorthand.ts';

/** What is known of a case only at run time. */
export interface RenderEnvironment {
  /** Everything `${…}` may name; `scope.peers` holds host and port (or socket) of each running peer. */
  readonly scope: Scope;
  /** Port of a listener of the topology: the data port of the implementation for `shared`, a free one for `own`. */
  readonly listenerPort: (listener: string) => number;
}

const GATEWAY_CLASS = 'proxy';
const SERVICE_PORT = 80;

/** All canonical resources of a case: its topology, its config, and a ProxyBackend or Service for each peer they name. */
export function renderCase(given: ConcreteCase, environment: RenderEnvironment): readonly JsonObject[] {
  return [...renderTopology(given, environment), ...renderConfig(given, given.config, environment)];
}

/**
 * Resources of `config` (or of a later `apply`) as canonical ones: placeholders and shorthand filled, and a
 * ProxyBackend added for each peer that only a backendRef names. Throws `AuthoringError` as `fillResource` does.
 */
export function renderConfig(
  given: ConcreteCase,
  config: readonly unknown[],
  environment: RenderEnvironment,
): readonly JsonObject[] {
  const at = [...given.at, 'config'];
  const written = interpolate(config, environment.scope, { at, dropNull: true });
  const peers = peersOf(environment.scope);
  const referred = new Set<string>();
  const resources = (Array.isArray(written) ? written : []).filter(isObject).map((resource, index) =>
    fillResource(resource, {
      namespace: given.namespace,
      topology: given.topology,
      peers,
      referred: (peer) => referred.add(peer),
      at: [...at, index],
    }),
  );
  const present = new Set([...backendsOf(given.config), ...backendsOf(resources), ...topologyPeers(given.topology)]);
  const missing = [...referred].filter((peer) => !present.has(peer));
  return [...resources, ...missing.map((peer) => peerBackend(peer, peers, given.namespace))];
}

/** Names of the listeners that need a port of their own. */
export function ownListeners(topology: Topology): readonly string[] {
  return allListeners(topology).flatMap(({ name, port }) => (port === 'own' ? [name] : []));
}

/** The listeners of the gateway and of its ListenerSets. */
export function allListeners(topology: Topology): readonly TopologyListener[] {
  return [...topology.listeners, ...topology.listenerSets.flatMap(({ listeners }) => listeners)];
}

function renderTopology(given: ConcreteCase, environment: RenderEnvironment): readonly JsonObject[] {
  // Hosts, paths and filters may name peers, so the topology is filled like the config.
  const topology = filled(given.topology, environment.scope);
  const peers = peersOf(environment.scope);
  const targets = topology.routes.flatMap((route) => route.rules.flatMap((rule) => rule.to));
  const configured = new Set(backendsOf(given.config));
  const referred = new Set(targets.filter(({ kind }) => kind === 'peer').map(({ name }) => name));
  const services = new Set(
    targets.filter(({ kind, name }) => kind === 'service' && name in peers).map(({ name }) => name),
  );
  const facts = {
    namespace: given.namespace,
    topology,
    peers,
    referred: (peer: string) => referred.add(peer),
    at: given.at,
  };
  const routes = topology.routes.map((route) => httpRoute(route, facts));
  const backends = [...referred].filter((name) => !configured.has(name));
  return [
    ...gateways(topology, given.namespace, environment),
    ...routes,
    ...backends.map((name) => peerBackend(name, peers, given.namespace)),
    ...[...services].flatMap((name) => peerService(name, peers, given.namespace)),
  ];
}

function filled(topology: Topology, scope: Scope): Topology {
  const value = interpolate(topology, scope, { dropNull: true });
  return isTopology(value) ? value : topology;
}

// Interpolation keeps the shape of what it is given.
function isTopology(value: unknown): value is Topology {
  return isObject(value) && Array.isArray(value['routes']);
}

function gateways(topology: Topology, namespace: string, environment: RenderEnvironment): readonly JsonObject[] {
  const { gateway, listeners, listenerSets } = topology;
  if (gateway === undefined || listeners.length === 0) return [];
  const allowed = listenerSets.length === 0 ? {} : { allowedListeners: { namespaces: { from: 'Same' } } };
  const own = listeners.map((entry) => listener(entry, environment));
  const parentRef = { group: GATEWAY_GROUP, kind: 'Gateway', name: gateway.name };
  return [
    canonical('Gateway', gateway.name, namespace, {
      spec: { gatewayClassName: GATEWAY_CLASS, ...allowed, listeners: own },
    }),
    ...listenerSets.map((set) => {
      const spec = { parentRef, listeners: set.listeners.map((entry) => listener(entry, environment)) };
      return canonical('ListenerSet', set.name, namespace, { spec });
    }),
  ];
}

function listener({ name, hostname }: TopologyListener, environment: RenderEnvironment): JsonObject {
  const host = hostname === undefined ? {} : { hostname };
  return { name, port: environment.listenerPort(name), protocol: 'HTTP', ...host };
}

function httpRoute(route: TopologyRoute, facts: ShorthandFacts): JsonObject {
  const parent = {
    ...(route.listenerSet === undefined
      ? { name: facts.topology.gateway?.name ?? 'gw' }
      : { group: GATEWAY_GROUP, kind: 'ListenerSet', name: route.listenerSet }),
    ...(route.listener === undefined ? {} : { sectionName: route.listener }),
  };
  const spec = {
    parentRefs: [parent],
    ...(route.hostnames.length === 0 ? {} : { hostnames: route.hostnames }),
    rules: route.rules.map((rule) => httpRule(rule, facts)),
  };
  const labels = route.labels === undefined ? {} : { labels: route.labels };
  return canonical('HTTPRoute', route.name, facts.namespace, { spec }, labels);
}

function httpRule(rule: TopologyRule, facts: ShorthandFacts): JsonObject {
  const body = {
    ...(rule.name === undefined ? {} : { name: rule.name }),
    matches: [httpMatch(rule)],
    ...(rule.filters === undefined ? {} : { filters: rule.filters }),
    ...(rule.timeouts === undefined ? {} : { timeouts: rule.timeouts }),
    ...(rule.to.length === 0 ? {} : { backendRefs: rule.to.map(backendRef) }),
  };
  // Filters may write `backendRef: {peer: m}` as config does.
  const { spec } = fillResource({ kind: 'HTTPRoute', metadata: {}, spec: body }, facts);
  return isObject(spec) ? spec : body;
}

const PATH_TYPES = { exact: 'Exact', prefix: 'PathPrefix', regex: 'RegularExpression' } as const;

function httpMatch({ path, method, headers, query }: TopologyRule): JsonObject {
  const key = (['exact', 'prefix', 'regex'] as const).find((name) => path?.[name] !== undefined) ?? 'prefix';
  return {
    path: { type: PATH_TYPES[key], value: path?.[key] ?? '/' },
    ...(method === undefined ? {} : { method }),
    ...(headers === undefined ? {} : { headers: nameMatches(headers) }),
    ...(query === undefined ? {} : { queryParams: nameMatches(query) }),
  };
}

// `{x-a: 1}` is an exact match, `{x-a: {regex: …}}` a pattern; a list is taken as Gateway API writes it.
function nameMatches(written: unknown): unknown {
  if (!isObject(written)) return written;
  return Object.entries(written).map(([name, value]) =>
    isObject(value) ? { name, type: 'RegularExpression', value: value['regex'] } : { name, value: String(value) },
  );
}

function backendRef({ kind, name, namespace, port, weight, filters }: TopologyTarget): JsonObject {
  const isService = kind === 'service';
  const reference = isService
    ? { kind: 'Service', name, port: port ?? SERVICE_PORT }
    : { group: PROXY_GROUP, kind: 'ProxyBackend', name };
  return {
    ...reference,
    ...(namespace === undefined ? {} : { namespace }),
    ...(weight === undefined ? {} : { weight }),
    ...(filters === undefined ? {} : { filters }),
  };
}

type Peers = Readonly<Record<string, JsonObject>>;

function peerBackend(peer: string, peers: Peers, namespace: string): JsonObject {
  return canonical('ProxyBackend', peer, namespace, { spec: { static: peerAddress(peers[peer] ?? {}) } });
}

function peerService(peer: string, peers: Peers, namespace: string): readonly JsonObject[] {
  const { host, port } = peers[peer] ?? {};
  const slice = {
    addressType: 'IPv4',
    ports: [{ name: 'http', port, protocol: 'TCP' }],
    endpoints: [{ addresses: [host], conditions: { ready: true } }],
  };
  return [
    canonical('Service', peer, namespace, {
      spec: { ports: [{ name: 'http', port: SERVICE_PORT, targetPort: port, protocol: 'TCP' }] },
    }),
    canonical('EndpointSlice', `${peer}-1`, namespace, slice, { labels: { 'kubernetes.io/service-name': peer } }),
  ];
}

function canonical(
  kind: string,
  name: string,
  namespace: string,
  content: JsonObject,
  metadata: JsonObject = {},
): JsonObject {
  return { apiVersion: API_VERSIONS[kind], kind, metadata: { name, namespace, ...metadata }, ...content };
}

function peersOf(scope: Scope): Peers {
  const { peers } = scope;
  if (!isObject(peers)) return {};
  return Object.fromEntries(
    Object.entries(peers).flatMap(([name, view]) => (isObject(view) ? [[name, view] as const] : [])),
  );
}

function backendsOf(config: readonly JsonObject[]): readonly string[] {
  return config.flatMap(({ kind, metadata }) =>
    kind === 'ProxyBackend' && isObject(metadata) ? [String(metadata['name'])] : [],
  );
}

function topologyPeers(topology: Topology): readonly string[] {
  return topology.routes.flatMap(({ rules }) =>
    rules.flatMap(({ to }) => to.filter(({ kind }) => kind === 'peer').map(({ name }) => name)),
  );
}
