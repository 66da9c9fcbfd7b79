import { perObject } from '../../base/per-object.ts';
import { compilePattern } from '../../base/re2.ts';
import { namespaceOf } from '../../resources/envelope.ts';
import type { HTTPRoute, HTTPRouteRule } from '../../resources/gateway-api/http-route.ts';
import type {
  HTTPHeaderMatch,
  HTTPQueryParamMatch,
  HTTPRouteMatch,
} from '../../resources/gateway-api/http-route-match.ts';
import { type Aged, ageOf, compareAge } from '../age.ts';

/** What route matching may look at. */
export interface RouteRequest {
  readonly host: string;
  readonly method: string;
  /** Without query. */
  readonly path: string;
  /** Without `?`. */
  readonly query: string;
  readonly header: (name: string) => string | undefined;
}

/** One match of one rule of one route, ready to be tried. */
export interface RouteMatch {
  readonly rule: RouteRule;
  readonly path: PathMatch;
  /** Whether everything but host and literal path holds. */
  readonly holds: (request: RouteRequest) => boolean;
  readonly rank: Rank;
}

/** A rule of a route; the same object for all of its matches. */
export interface RouteRule {
  /** `namespace/name.ruleIndex`. */
  readonly key: string;
  readonly route: HTTPRoute;
  readonly index: number;
  readonly spec: HTTPRouteRule;
}

/** `value` of a prefix has no trailing slash, so the prefix of everything is empty. */
export interface PathMatch {
  readonly type: 'Exact' | 'PathPrefix' | 'RegularExpression';
  readonly value: string;
}

/** What decides between two matches of one host and one type of path that both hold. */
interface Rank {
  readonly pathLength: number;
  readonly method: boolean;
  readonly headers: number;
  readonly queryParams: number;
  readonly age: Aged;
  readonly ruleIndex: number;
}

/** The matches of all rules of the route; a rule without any matches every path. */
export const matchesOf = perObject((route: HTTPRoute): readonly RouteMatch[] => {
  const id = `${namespaceOf(route)}/${route.metadata.name}`;
  return (route.spec.rules ?? []).flatMap((spec, index) => {
    const rule: RouteRule = { key: `${id}.${index}`, route, index, spec };
    const { matches = [] } = spec;
    return (matches.length > 0 ? matches : [{}]).map((match) => compile(rule, match));
  });
});

/** Negative when `one` is tried before `other`, of matches whose path is of one type. */
export function compareMatches({ rank: one }: RouteMatch, { rank: other }: RouteMatch): number {
  return (
    other.pathLength - one.pathLength ||
    Number(other.method) - Number(one.method) ||
    other.headers - one.headers ||
    other.queryParams - one.queryParams ||
    compareAge(one.age, other.age) ||
    one.ruleIndex - other.ruleIndex
  );
}

function compile(rule: RouteRule, match: HTTPRouteMatch): RouteMatch {
  const { type = 'PathPrefix', value = '/' } = match.path ?? {};
  const headers = uniqueByName(match.headers ?? [], (name) => name.toLowerCase());
  const queryParams = uniqueByName(match.queryParams ?? [], (name) => name);
  return {
    rule,
    path: { type, value: type === 'PathPrefix' && value.endsWith('/') ? value.slice(0, -1) : value },
    holds: allOf([
      ...(match.method === undefined ? [] : [(request: RouteRequest) => request.method === match.method]),
      ...(type === 'RegularExpression' ? [pathTest(value)] : []),
      ...headers.map(headerTest),
      ...(queryParams.length > 0 ? [queryTest(queryParams)] : []),
    ]),
    rank: {
      pathLength: value.length,
      method: match.method !== undefined,
      headers: headers.length,
      queryParams: queryParams.length,
      age: ageOf(rule.route),
      ruleIndex: rule.index,
    },
  };
}

type Test = (request: RouteRequest) => boolean;

function allOf(tests: readonly Test[]): Test {
  return (request) => tests.every((test) => test(request));
}

function pathTest(pattern: string): Test {
  const test = wholeText('RegularExpression', pattern);
  return ({ path }) => test(path);
}

function headerTest({ type, name, value }: HTTPHeaderMatch): Test {
  const test = wholeText(type, value);
  return ({ header }) => {
    const sent = header(name);
    return sent !== undefined && test(sent);
  };
}

/** Of a parameter that repeats the last value counts. */
function queryTest(params: readonly HTTPQueryParamMatch[]): Test {
  const tests = params.map(({ type, name, value }) => ({ name, test: wholeText(type, value) }));
  return ({ query }) => {
    const sent = new Map(new URLSearchParams(query));
    return tests.every(({ name, test }) => {
      const value = sent.get(name);
      return value !== undefined && test(value);
    });
  };
}

/** A pattern must span the whole text; one that is no RE2 expression matches nothing. */
function wholeText(type: 'Exact' | 'RegularExpression' = 'Exact', expected: string): (text: string) => boolean {
  if (type === 'Exact') return (text) => text === expected;
  const pattern = compilePattern(expected);
  return (text) => pattern?.testExact(text) ?? false;
}

/** Of entries with one name only the first counts. */
function uniqueByName<Match extends { readonly name: string }>(
  matches: readonly Match[],
  key: (name: string) => string,
): readonly Match[] {
  return matches.filter(({ name }, index) => index === matches.findIndex((other) => key(other.name) === key(name)));
}
