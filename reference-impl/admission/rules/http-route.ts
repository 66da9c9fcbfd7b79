import { parseDuration } from '../../base/duration.ts';
import type { HTTPBackendRef, HTTPRoute, HTTPRouteRule } from '../../resources/gateway-api/http-route.ts';
import type { HTTPRouteFilter } from '../../resources/gateway-api/http-route-filter.ts';
import type { HTTPPathMatch } from '../../resources/gateway-api/http-route-match.ts';
import type { Path } from '../violation.ts';
import { each, never, present, findRepeated, row, type Rule } from './row.ts';

type Located<Item> = (readonly [Path, Item])[];

/** Rules of the Gateway API for HTTPRoute. */
export const httpRouteRules: readonly Rule<HTTPRoute>[] = [
  row(
    '',
    (route) => findRepeated(rulesOf(route), (rule) => rule.name),
    never,
    (rule) => `rule name ${rule.name ?? ''} is used twice`,
  ),
  row(
    '',
    pathsOf,
    (path) => path.type === 'RegularExpression' || path.value === undefined || path.value.startsWith('/'),
    'path value must start with /',
  ),
  row(
    '',
    backendRefsOf,
    (ref) => !isService(ref) || ref.port !== undefined,
    'port is required when backendRef names a Service',
  ),
  row('', repeatedFilters, never, (filter) => `filter ${filter.type} may stand only once`),
  row(
    '',
    rulesOf,
    (rule) => !hasFilter(rule, 'RequestRedirect') || (rule.backendRefs ?? []).length === 0,
    'a rule that redirects has no backendRefs',
  ),
  row(
    '',
    rulesOf,
    (rule) => !hasFilter(rule, 'RequestRedirect') || !hasFilter(rule, 'URLRewrite'),
    'a rule either redirects or rewrites',
  ),
  row(
    '',
    rulesOf,
    (rule) => backendRequestFits(rule),
    'timeouts.backendRequest must not be longer than timeouts.request',
  ),
  row(
    '',
    mirrorsOf,
    (mirror) => mirror.percent === undefined || mirror.fraction === undefined,
    'percent and fraction exclude each other',
  ),
];

function rulesOf(route: HTTPRoute): Located<HTTPRouteRule> {
  return each(['spec', 'rules'], route.spec.rules);
}

function pathsOf(route: HTTPRoute): Located<HTTPPathMatch> {
  return rulesOf(route).flatMap(([at, rule]) =>
    each([...at, 'matches'], rule.matches).flatMap(([matchAt, match]) => present([...matchAt, 'path'], match.path)),
  );
}

function backendRefsOf(route: HTTPRoute): Located<HTTPBackendRef> {
  return rulesOf(route).flatMap(([at, rule]) => each([...at, 'backendRefs'], rule.backendRefs));
}

function isService(ref: HTTPBackendRef): boolean {
  return (ref.kind ?? 'Service') === 'Service' && (ref.group ?? '') === '';
}

/** Filters of rules and of their backendRefs, list by list. */
function filterListsOf(route: HTTPRoute): Located<HTTPRouteFilter>[] {
  return [...rulesOf(route), ...backendRefsOf(route)].map(([at, owner]) => each([...at, 'filters'], owner.filters));
}

function repeatedFilters(route: HTTPRoute): Located<HTTPRouteFilter> {
  return filterListsOf(route).flatMap((filters) => findRepeated(filters, typeThatStandsOnce));
}

function typeThatStandsOnce(filter: HTTPRouteFilter): string | undefined {
  return filter.type === 'RequestMirror' || filter.type === 'ExtensionRef' ? undefined : filter.type;
}

function mirrorsOf(route: HTTPRoute): Located<NonNullable<HTTPRouteFilter['requestMirror']>> {
  return filterListsOf(route).flatMap((filters) =>
    filters.flatMap(([at, filter]) => present([...at, 'requestMirror'], filter.requestMirror)),
  );
}

function hasFilter(rule: HTTPRouteRule, type: HTTPRouteFilter['type']): boolean {
  return (rule.filters ?? []).some((filter) => filter.type === type);
}

function backendRequestFits(rule: HTTPRouteRule): boolean {
  const request = parseDuration(rule.timeouts?.request ?? '');
  const backendRequest = parseDuration(rule.timeouts?.backendRequest ?? '');
  // Zero means no limit.
  return request === undefined || request === 0 || backendRequest === undefined || backendRequest <= request;
}
