import { isObject } from '../values/json.ts';
import type { JsonObject } from '../values/json.ts';
import type { TopologyRoute, TopologyRule, TopologyTarget } from './concrete-case.ts';
import { canonical, PROXY_GROUP } from './kinds.ts';
import { SERVICE_PORT } from './peer-resources.ts';
import { fillResource } from './shorthand.ts';
import type { ShorthandFacts } from './shorthand.ts';

/** A route of the topology as an HTTPRoute. */
export function httpRoute(route: TopologyRoute, facts: ShorthandFacts): JsonObject {
  const parent = {
    ...(route.listenerSet === undefined
      ? { name: facts.topology.gateway?.name ?? 'gw' }
      : { kind: 'ListenerSet', name: route.listenerSet }),
    ...(route.listener === undefined ? {} : { sectionName: route.listener }),
  };
  const spec = {
    parentRefs: [parent],
    ...(route.hostnames.length === 0 ? {} : { hostnames: route.hostnames }),
    rules: route.rules.map((rule) => httpRule(rule, facts)),
  };
  const labels = route.labels === undefined ? {} : { labels: route.labels };
  return canonical('HTTPRoute', { name: route.name, namespace: facts.namespace, ...labels }, { spec });
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
