import { isObject } from '../values/json.ts';
import type { JsonObject } from '../values/json.ts';
import { interpolate } from '../values/variables.ts';
import type { Scope } from '../values/variables.ts';
import type { ConcreteCase, Topology, TopologyListener } from './concrete-case.ts';
import { admitAttached } from './allowed-kinds.ts';
import { httpRoute } from './http-route.ts';
import { canonical } from './kinds.ts';
import { peerBackend, peerService } from './peer-resources.ts';
import type { Peers } from './peer-resources.ts';
import { fillResource } from './shorthand.ts';

/** What is known of a case only at run time. */
export interface RenderEnvironment {
  /** Everything `${…}` may name; `scope.peers` holds host and port (or socket) of each running peer. */
  readonly scope: Scope;
  /** Port of a listener of the topology: the data port of the implementation for `shared`, a free one for `own`. */
  readonly listenerPort: (listener: string) => number;
}

const GATEWAY_CLASS = 'proxy';

/** All canonical resources of a case: its topology, its config, and a ProxyBackend or Service for each peer they name. */
export function renderCase(given: ConcreteCase, environment: RenderEnvironment): readonly JsonObject[] {
  const topology = renderTopology(given, environment).map((resource) => admitAttached(resource, given));
  return [...topology, ...renderConfig(given, given.config, environment)];
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
    admitAttached(
      fillResource(resource, {
        namespace: given.namespace,
        topology: given.topology,
        peers,
        referred: (peer) => referred.add(peer),
        at: [...at, index],
      }),
      given,
    ),
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
  const topology = fillTopology(given.topology, environment.scope);
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

function fillTopology(topology: Topology, scope: Scope): Topology {
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
  const parentRef = { name: gateway.name };
  return [
    canonical(
      'Gateway',
      { name: gateway.name, namespace },
      {
        spec: { gatewayClassName: GATEWAY_CLASS, ...allowed, listeners: own },
      },
    ),
    ...listenerSets.map((set) => {
      const spec = { parentRef, listeners: set.listeners.map((entry) => listener(entry, environment)) };
      return canonical('ListenerSet', { name: set.name, namespace }, { spec });
    }),
  ];
}

function listener({ name, hostname, certificates }: TopologyListener, environment: RenderEnvironment): JsonObject {
  const host = hostname === undefined ? {} : { hostname };
  const protocol = certificates === undefined ? 'HTTP' : 'HTTPS';
  const tls = certificates && {
    tls: { mode: 'Terminate', certificateRefs: certificates.map((ref) => ({ name: ref })) },
  };
  return { name, port: environment.listenerPort(name), protocol, ...host, ...tls };
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
