import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildView, type RouteRequest } from '../../../attachment/view.ts';
import type { ResourceOf } from '../../../resources/kinds.ts';
import { gateway, request, route, snapshotWith } from '../support/resources.ts';

const listenerOf = (...routes: readonly ResourceOf<'HTTPRoute'>[]) => {
  const listener = buildView(snapshotWith(gateway('gw'), ...routes)).binds.get(3000)?.listeners[0];
  if (listener === undefined) throw new Error('no listener');
  return listener;
};
const select = (routes: readonly ResourceOf<'HTTPRoute'>[], wanted: RouteRequest) =>
  listenerOf(...routes).selectRoute(wanted)?.key;
const matching = (match: object) => [{ matches: [match] }];
const path = (type: string, value: string) => ({ path: { type, value } });

test.each([
  ['/foo', '/foo', true],
  ['/foo', '/foo/', true],
  ['/foo', '/foo/bar', true],
  ['/foo', '/foobar', false],
  ['/foo/', '/foo', true],
  ['/foo/', '/foo/bar', true],
  ['/', '/anything', true],
  ['/foo', '/Foo', false],
  ['/foo', '/', false],
  ['/a/b', '/a/b?', false],
])('prefix %s and path %s: %s', (prefix, wanted, matches) => {
  const rules = matching(path('PathPrefix', prefix));
  expect(select([route('r', { rules })], request('a.test', wanted))).toBe(matches ? 'ns/r.0' : undefined);
});

test.each([
  ['/a.*', '/abc', true],
  ['/a', '/abc', false],
  ['a', '/a', false],
  ['/(a', '/(a', false],
  ['(?=x)/', '/', false],
])('pattern %s spans the whole of %s: %s', (pattern, wanted, matches) => {
  const rules = matching(path('RegularExpression', pattern));
  expect(select([route('r', { rules })], request('a.test', wanted))).toBe(matches ? 'ns/r.0' : undefined);
});

test('a pattern that would ruin a backtracking engine is answered at once', () => {
  const rules = matching(path('RegularExpression', '/(a+)+$'));
  const wanted = request('a.test', `/${'a'.repeat(5_000)}!`);
  const before = process.cpuUsage();
  expect(select([route('r', { rules })], wanted)).toBeUndefined();
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(2_000);
});

test.each([
  [{ method: 'GET' }, {}, true],
  [{ method: 'POST' }, {}, false],
  [
    { headers: [{ name: 'X-A', value: '1' }] },
    { header: (name: string) => (name.toLowerCase() === 'x-a' ? '1' : undefined) },
    true,
  ],
  [{ headers: [{ name: 'x-a', value: '1' }] }, { header: () => '12' }, false],
  [{ headers: [{ type: 'RegularExpression', name: 'x-a', value: '1.' }] }, { header: () => '12' }, true],
  [{ headers: [{ type: 'RegularExpression', name: 'x-a', value: '1' }] }, { header: () => '12' }, false],
  [
    {
      headers: [
        { name: 'x', value: '1' },
        { name: 'X', value: '2' },
      ],
    },
    { header: () => '1' },
    true,
  ],
  [{ queryParams: [{ name: 'q', value: '1' }] }, { query: 'q=1' }, true],
  [{ queryParams: [{ name: 'q', value: '2' }] }, { query: 'q=1&q=2' }, true],
  [{ queryParams: [{ name: 'q', value: '1' }] }, { query: 'q=1&q=2' }, false],
  [{ queryParams: [{ name: 'q', value: 'a b' }] }, { query: 'q=a%20b' }, true],
  [
    {
      queryParams: [
        { name: 'q', value: '1' },
        { name: 'p', value: '1' },
      ],
    },
    { query: 'q=1' },
    false,
  ],
])('match %j against request %j: %s', (match, more, matches) => {
  expect(select([route('r', { rules: matching(match) })], request('a.test', '/', more))).toBe(
    matches ? 'ns/r.0' : undefined,
  );
});

test('a route without rules has nothing to answer with; a rule without matches takes every path', () => {
  expect(select([route('r', { rules: [] })], request('a.test', '/'))).toBeUndefined();
  expect(select([route('r', { rules: [{}] })], request('a.test', '/x/y'))).toBe('ns/r.0');
});

test('the prefix that matched is reported without its trailing slash', () => {
  const routes = [
    route('r', { rules: [{ matches: [path('PathPrefix', '/a/'), path('Exact', '/b'), path('PathPrefix', '/')] }] }),
  ];
  const prefixOf = (wanted: string) => listenerOf(...routes).selectRoute(request('a.test', wanted))?.matchedPrefix;
  expect([prefixOf('/a/x'), prefixOf('/b'), prefixOf('/c')]).toEqual(['/a', undefined, '/']);
});

test('evaluatedRoutes lists every rule whose hostname can match, sorted, once', () => {
  const listener = listenerOf(
    route('z', { hostnames: ['a.test', '*.test'], rules: [{}, {}] }),
    route('b'),
    route('a', { hostnames: ['other.test'] }),
  );
  expect(listener.evaluatedRoutes('a.test')).toEqual(['ns/b.0', 'ns/z.0', 'ns/z.1']);
});

const HOSTS = ['a.test', 'b.a.test', 'c.b.a.test', 'x.test'];
const HOSTNAMES = [...HOSTS, '*.test', '*.a.test', '*.b.a.test'];
const PATHS = ['/', '/a', '/a/', '/a/b', '/a/b/c', '/ab', '/a/bc'];

const generatedMatch = fc.record(
  {
    path: fc.oneof(
      fc.record({ type: fc.constantFrom('Exact', 'PathPrefix'), value: fc.constantFrom(...PATHS) }),
      fc.record({ type: fc.constant('RegularExpression'), value: fc.constantFrom('/a.*', '/.b', '.*') }),
    ),
    method: fc.constantFrom('GET', 'POST'),
    headers: fc.subarray([
      { name: 'h', value: '1' },
      { name: 'i', value: '1' },
    ]),
    queryParams: fc.subarray([
      { name: 'q', value: '1' },
      { name: 'p', value: '1' },
    ]),
  },
  { requiredKeys: [] },
);
const generatedRoute = fc.record({
  hostnames: fc.subarray(HOSTNAMES, { maxLength: 2 }),
  rules: fc.array(fc.array(generatedMatch, { maxLength: 2 }), { minLength: 1, maxLength: 3 }),
  day: fc.integer({ min: 1, max: 2 }),
});
const generatedRequest = fc.record({
  host: fc.constantFrom(...HOSTS, 'nowhere.example'),
  path: fc.constantFrom(...PATHS),
  method: fc.constantFrom('GET', 'POST'),
  query: fc.constantFrom('', 'q=1', 'q=1&p=1'),
  sent: fc.subarray(['h', 'i']),
});

/** Tries every match of every route and keeps the best; as slow and as plain as can be. */
function linear(
  routes: readonly {
    hostnames: readonly string[];
    rules: readonly (readonly Partial<GeneratedMatch>[])[];
    day: number;
  }[],
  wanted: RouteRequest,
): string | undefined {
  const candidates = routes.flatMap((each, index) =>
    (each.hostnames.length === 0 ? [''] : each.hostnames)
      .filter((name) => hostFits(name, wanted.host))
      .flatMap((hostname) =>
        each.rules.flatMap((matches, rule) =>
          (matches.length === 0 ? [{}] : matches)
            .filter((match) => fits(match, wanted))
            .map((match) => ({
              key: `ns/r${index}.${rule}`,
              rank: [...hostRank(hostname), ...matchRank(match), each.day, index, rule],
            })),
        ),
      ),
  );
  return candidates.toSorted((a, b) => compareLists(a.rank, b.rank))[0]?.key;
}

type GeneratedMatch = typeof generatedMatch extends fc.Arbitrary<infer Match> ? Match : never;

const hostFits = (name: string, host: string) =>
  name === '' || name === host || (name.startsWith('*') && host.endsWith(name.slice(1)));
const hostRank = (name: string) => [name === '' ? 2 : Number(name.startsWith('*')), -name.length];

function fits(
  { path: declared, method, headers = [], queryParams = [] }: Partial<GeneratedMatch>,
  wanted: RouteRequest,
): boolean {
  const { type, value } = declared ?? { type: 'PathPrefix', value: '/' };
  const prefix = value.replace(/\/$/, '');
  const pathFits =
    (type === 'Exact' && wanted.path === value) ||
    (type === 'PathPrefix' && (wanted.path === prefix || wanted.path.startsWith(`${prefix}/`))) ||
    (type === 'RegularExpression' && new RegExp(`^(?:${value})$`).test(wanted.path));
  const query = new URLSearchParams(wanted.query);
  return (
    pathFits &&
    (method ?? wanted.method) === wanted.method &&
    headers.every(({ name, value: expected }) => wanted.header(name) === expected) &&
    queryParams.every(({ name, value: expected }) => query.get(name) === expected)
  );
}

function matchRank({ path: declared, method, headers = [], queryParams = [] }: Partial<GeneratedMatch>): number[] {
  const { type, value } = declared ?? { type: 'PathPrefix', value: '/' };
  const kind = ['Exact', 'PathPrefix', 'RegularExpression'].indexOf(type);
  return [kind, -value.length, method === undefined ? 1 : 0, -headers.length, -queryParams.length];
}

function compareLists(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
}

test('the index finds what trying every match finds', () => {
  let found = 0;
  fc.assert(
    fc.property(
      fc.array(generatedRoute, { maxLength: 9 }),
      fc.array(generatedRequest, { minLength: 1, maxLength: 5 }),
      (routes, requests) => {
        const resources = routes.map(({ hostnames, rules, day }, index) =>
          route(
            `r${index}`,
            { hostnames, rules: rules.map((matches) => ({ matches })) },
            { creationTimestamp: `2026-01-0${day}T00:00:00Z` },
          ),
        );
        const listener = listenerOf(...resources.toReversed());
        for (const { sent, ...rest } of requests) {
          const wanted = { ...rest, header: (name: string) => (sent.includes(name) ? '1' : undefined) };
          const key = listener.selectRoute(wanted)?.key;
          if (key !== undefined) found += 1;
          expect(key).toBe(linear(routes, wanted));
        }
      },
    ),
    { numRuns: 1_000 },
  );
  // Most of the requests must reach the comparison that matters.
  expect(found).toBeGreaterThan(1_000);
});
