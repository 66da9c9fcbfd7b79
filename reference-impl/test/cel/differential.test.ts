import { Environment } from '@marcbachmann/cel-js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { compile } from '../../cel/compile.ts';

/*
 * Two engines, one language: expressions over request-like variables, of the kinds both speak. They are generated with
 * their type, so that both find an overload; failures must be failures on both sides.
 */

const VARIABLES = {
  request: {
    method: 'POST',
    path: '/api/v1/things',
    host: 'example.test:8080',
    headers: { 'x-user': 'ann', 'x-roles': 'admin,dev', empty: '' },
  },
  source: { address: '10.1.2.3', port: 40_123 },
  jwt: { sub: 'ann', groups: ['admin', 'dev'], level: 3, active: true },
};

/** Names that exist; the rare ones beside them fail. */
function often(arbitrary: fc.Arbitrary<string>): fc.WeightedArbitrary<string> {
  return { weight: 12, arbitrary };
}

const { string, number, bool, list } = fc.letrec<{ string: string; number: string; bool: string; list: string }>(
  (tie) => ({
    string: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      often(
        fc.constantFrom(
          'request.method',
          'request.path',
          'request.host',
          'request.headers["x-user"]',
          'source.address',
          'jwt.sub',
          'jwt.groups[0]',
        ),
      ),
      { weight: 1, arbitrary: fc.constantFrom('request.headers["none"]', 'jwt.nobody', 'jwt.groups[5]') },
      fc.string({ unit: fc.constantFrom('a', 'n', '/', ' ', 'é'), maxLength: 4 }).map((text) => JSON.stringify(text)),
      fc.tuple(tie('string'), tie('string')).map(([a, b]) => `(${a} + ${b})`),
      tie('number').map((a) => `string(${a})`),
      fc.tuple(tie('bool'), tie('string'), tie('string')).map(([c, a, b]) => `(${c} ? ${a} : ${b})`),
    ),
    number: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      often(fc.constantFrom('source.port', 'jwt.level')),
      { weight: 1, arbitrary: fc.constantFrom('jwt.none', '9223372036854775807', '(-9223372036854775807)') },
      fc.integer({ min: -20, max: 20 }).map((value) => `(${value})`),
      fc
        .tuple(tie('number'), fc.constantFrom('+', '-', '*', '/', '%'), tie('number'))
        .map(([a, o, b]) => `(${a} ${o} ${b})`),
      tie('string').map((a) => `size(${a})`),
      tie('list').map((a) => `size(${a})`),
      fc.tuple(tie('bool'), tie('number'), tie('number')).map(([c, a, b]) => `(${c} ? ${a} : ${b})`),
    ),
    bool: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom('true', 'false', 'jwt.active', 'has(jwt.sub)', 'has(jwt.nobody)', 'has(request.headers.empty)'),
      fc
        .tuple(tie('number'), fc.constantFrom('==', '!=', '<', '<=', '>', '>='), tie('number'))
        .map(([a, o, b]) => `(${a} ${o} ${b})`),
      fc
        .tuple(tie('string'), fc.constantFrom('==', '!=', '<', '>='), tie('string'))
        .map(([a, o, b]) => `(${a} ${o} ${b})`),
      fc
        .tuple(tie('string'), fc.constantFrom('startsWith', 'endsWith', 'contains'), tie('string'))
        .map(([a, f, b]) => `${a}.${f}(${b})`),
      fc.tuple(tie('bool'), fc.constantFrom('&&', '||'), tie('bool')).map(([a, o, b]) => `(${a} ${o} ${b})`),
      tie('bool').map((a) => `!(${a})`),
      fc.tuple(tie('string'), tie('list')).map(([a, b]) => `(${a} in ${b})`),
      fc
        .tuple(tie('list'), fc.constantFrom('all', 'exists', 'exists_one'), tie('string'))
        .map(([a, f, b]) => `${a}.${f}(e, e != ${b})`),
    ),
    list: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom('jwt.groups', '[""]', '["admin"]'),
      fc.tuple(tie('string'), tie('string')).map(([a, b]) => `[${a}, ${b}]`),
      fc.tuple(tie('list'), tie('list')).map(([a, b]) => `(${a} + ${b})`),
      fc.tuple(tie('list'), tie('string')).map(([a, b]) => `${a}.filter(e, e != ${b})`),
      fc.tuple(tie('list'), tie('string')).map(([a, b]) => `${a}.map(e, e + ${b})`),
    ),
  }),
);

test('agrees with @marcbachmann/cel-js', { timeout: 60_000 }, () => {
  let compared = 0;
  let failures = 0;
  fc.assert(
    fc.property(fc.oneof(string, number, bool, list), (expression) => {
      const [one, other] = [ours(expression), theirs(expression)];
      compared += 1;
      if (one === FAILED) failures += 1;
      expect(one).toEqual(other);
    }),
    { numRuns: 2000 },
  );
  expect(failures).toBeLessThan(compared / 2);
  console.log(`differential: ${compared} expressions, ${failures} of them failing on both sides`);
});

const FAILED = Symbol('failed');
const environment = new Environment({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false });

const OTHER_VARIABLES = Object.fromEntries(
  Object.entries(VARIABLES).map(([root, value]) => [root, withIntegers(value)]),
);

function ours(expression: string): unknown {
  const compiled = compile(expression);
  if (!compiled.ok) return FAILED;
  const result = compiled.program.evaluate((root) => Object.entries(VARIABLES).find(([name]) => name === root)?.[1]);
  return result.ok ? plain(result.value) : FAILED;
}

function theirs(expression: string): unknown {
  try {
    return plain(environment.evaluate(expression, OTHER_VARIABLES));
  } catch {
    return FAILED;
  }
}

/** The other engine takes JavaScript numbers for doubles. */
function withIntegers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withIntegers);
  if (typeof value === 'number') return BigInt(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withIntegers(member)]));
}

/** Integers as text: one engine gives number, the other bigint. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  return typeof value === 'bigint' || typeof value === 'number' ? `${value}` : value;
}
