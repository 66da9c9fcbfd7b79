import { isList, isObject } from '../values/json.ts';
import type { Topology, TopologyListener, TopologyRoute, TopologyRule, TopologyTarget } from './concrete-case.ts';
import type { WrittenTargets, WrittenTopology } from './schema.ts';

/** What the defaults of a topology depend on. */
export interface TopologyFacts {
  readonly host: string;
  readonly peers: readonly string[];
}

type WrittenRoute = NonNullable<WrittenTopology['routes']>[number];

const GATEWAY = 'gw';

/**
 * Fills in what the author left out. The default is one Gateway `gw` with a listener `http` for the case's host on the
 * shared port, and one HTTPRoute `r` with a rule named `rule` for every path, to the only peer if there is one.
 */
export function normalTopology(written: WrittenTopology, facts: TopologyFacts): Topology {
  const none = written.preset === 'none';
  if (none && written.listeners === undefined && written.routes === undefined)
    return { listeners: [], listenerSets: [], routes: [] };
  const fallback = targetsOf(written.to ?? onlyPeer(facts));
  return {
    gateway: { name: GATEWAY },
    listeners: written.listeners?.map((listener) => toListener(listener, facts)) ?? [defaultListener(facts)],
    listenerSets: (written.listenerSets ?? []).map(({ name, listeners }) => ({
      name,
      listeners: listeners.map((listener) => toListener(listener, facts)),
    })),
    routes: written.routes?.map((route) => toRoute(route, fallback)) ?? (none ? [] : [oneRoute(fallback)]),
  };
}

function onlyPeer({ peers }: TopologyFacts): WrittenTargets {
  return peers.length === 1 ? [...peers] : [];
}

function defaultListener({ host }: TopologyFacts): TopologyListener {
  return { name: 'http', hostname: host, port: 'shared' };
}

// On the shared port a listener without a host name would take the requests of every other case.
function toListener(
  listener: NonNullable<WrittenTopology['listeners']>[number],
  { host }: TopologyFacts,
): TopologyListener {
  const port = listener.port ?? 'shared';
  const hostname = listener.hostname ?? (listener.hostname === undefined || port === 'shared' ? host : undefined);
  const { name, certificates } = listener;
  return {
    name,
    port,
    ...(hostname === undefined ? {} : { hostname }),
    ...(certificates === undefined ? {} : { certificates }),
  };
}

function oneRoute(to: readonly TopologyTarget[]): TopologyRoute {
  return { name: 'r', hostnames: [], rules: [{ name: 'rule', path: { prefix: '/' }, to }] };
}

function toRoute(route: WrittenRoute, fallback: readonly TopologyTarget[]): TopologyRoute {
  const { name, labels, listener, listenerSet, host, rules } = route;
  return {
    name,
    ...(labels === undefined ? {} : { labels }),
    hostnames: host === undefined ? [] : [host].flat(),
    ...(listener === undefined ? {} : { listener }),
    ...(listenerSet === undefined ? {} : { listenerSet }),
    rules: rules.map((rule) => toRule(rule, fallback)),
  };
}

function toRule(rule: WrittenRoute['rules'][number], fallback: readonly TopologyTarget[]): TopologyRule {
  const { name, path, method, headers, query, to, filters, timeouts } = rule;
  return {
    ...(name === undefined ? {} : { name }),
    path: toPath(path),
    ...(method === undefined ? {} : { method }),
    ...(headers === undefined ? {} : { headers }),
    ...(query === undefined ? {} : { query }),
    ...(filters === undefined ? {} : { filters }),
    ...(timeouts === undefined ? {} : { timeouts }),
    to: to === undefined ? fallback : targetsOf(to),
  };
}

function toPath(path: WrittenRoute['rules'][number]['path']): NonNullable<TopologyRule['path']> {
  if (path?.exact !== undefined) return { exact: path.exact };
  return path?.regex === undefined ? { prefix: path?.prefix ?? '/' } : { regex: path.regex };
}

function targetsOf(written: WrittenTargets): readonly TopologyTarget[] {
  return (isList(written) ? written : [written]).flatMap((target) => toTarget(target));
}

function toTarget(target: unknown): readonly TopologyTarget[] {
  if (typeof target === 'string') return [{ kind: 'peer', name: target }];
  if (!isObject(target)) return [];
  const kind = (['peer', 'service', 'backend'] as const).find((key) => key in target);
  if (kind === undefined) return [];
  const { namespace, port, weight, filters } = target;
  return [
    {
      kind,
      name: String(target[kind]),
      ...(typeof namespace === 'string' ? { namespace } : {}),
      ...(port === undefined ? {} : { port }),
      ...(typeof weight === 'number' ? { weight } : {}),
      ...(isList(filters) ? { filters } : {}),
    },
  ];
}
