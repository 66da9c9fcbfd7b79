import { type Hostname, hostTable, overlap } from '../hostnames.ts';
import type { HTTPRoute } from '../../resources/gateway-api/http-route.ts';
import { compareMatches, matchesOf, type RouteMatch, type RouteRequest } from './route-match.ts';

/** The routes of one listener, arranged so that finding one costs the same among ten as among ten thousand. */
export interface RouteIndex {
  /** The first match that holds: by host, by type of path, then in the order of `compareMatches`. */
  readonly select: (request: RouteRequest) => RouteMatch | undefined;
  /** Keys of the rules whose hostname claims `host`, sorted. */
  readonly evaluated: (host: string) => readonly string[];
  readonly matches: readonly RouteMatch[];
}

/** Indexes the routes attached to a listener; hostnames the listener cannot serve are ignored. */
export function indexRoutes(listenerHostname: Hostname, routes: readonly HTTPRoute[]): RouteIndex {
  const byHostname = new Map<Hostname, RouteMatch[]>();
  for (const route of routes) {
    for (const hostname of hostnamesOf(route, listenerHostname)) {
      const matches = byHostname.get(hostname);
      if (matches === undefined) byHostname.set(hostname, [...matchesOf(route)]);
      else matches.push(...matchesOf(route));
    }
  }
  const groups = hostTable([...byHostname].map(([hostname, matches]) => [hostname, indexPaths(matches)] as const));
  return {
    select: (request) => {
      for (const group of groups.lookup(request.host)) {
        const match = group.find(request);
        if (match !== undefined) return match;
      }
      return undefined;
    },
    evaluated: (host) => [...new Set(groups.lookup(host).flatMap(({ keys }) => keys))].toSorted(),
    matches: routes.flatMap(matchesOf),
  };
}

function hostnamesOf(route: HTTPRoute, listenerHostname: Hostname): ReadonlySet<Hostname> {
  const { hostnames = [] } = route.spec;
  if (hostnames.length === 0) return new Set([undefined]);
  return new Set(hostnames.filter((name) => overlap(name, listenerHostname)).map((name) => name.toLowerCase()));
}

/** The matches of one hostname. */
interface PathIndex {
  readonly find: (request: RouteRequest) => RouteMatch | undefined;
  readonly keys: readonly string[];
}

/** Exact paths and prefixes are looked up; only patterns have to be tried one by one. The order among them: docs/decisions/routes-and-messages.md. */
function indexPaths(matches: readonly RouteMatch[]): PathIndex {
  const ordered = matches.toSorted(compareMatches);
  const exact = byPath(ordered.filter(({ path }) => path.type === 'Exact'));
  const prefixes = byPath(ordered.filter(({ path }) => path.type === 'PathPrefix'));
  const patterns = ordered.filter(({ path }) => path.type === 'RegularExpression');
  const longestFirst = [...new Set([...prefixes.keys()].map(({ length }) => length))].toSorted((a, b) => b - a);
  return {
    find: (request) =>
      firstOf(exact.get(request.path), request) ??
      findPrefix(prefixes, longestFirst, request) ??
      firstOf(patterns, request),
    keys: [...new Set(ordered.map(({ rule }) => rule.key))],
  };
}

/** A prefix ends where a segment of the path ends; the lengths that exist in the configuration bound the work. */
function findPrefix(
  prefixes: ReadonlyMap<string, readonly RouteMatch[]>,
  longestFirst: readonly number[],
  request: RouteRequest,
): RouteMatch | undefined {
  const { path } = request;
  for (const length of longestFirst) {
    const endsSegment = length === path.length || length === 0 || (length < path.length && path[length] === '/');
    if (!endsSegment) continue;
    const match = firstOf(prefixes.get(path.slice(0, length)), request);
    if (match !== undefined) return match;
  }
  return undefined;
}

function firstOf(matches: readonly RouteMatch[] | undefined, request: RouteRequest): RouteMatch | undefined {
  return matches?.find(({ holds }) => holds(request));
}

function byPath(matches: readonly RouteMatch[]): ReadonlyMap<string, readonly RouteMatch[]> {
  return Map.groupBy(matches, ({ path }) => path.value);
}
