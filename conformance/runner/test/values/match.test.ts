import { generateKeyPairSync, sign } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { AuthoringError } from '../../values/authoring-error.ts';
import { jsonEquals } from '../../values/json.ts';
import { match } from '../../values/match.ts';
import { matcherProblems } from '../../values/matcher-problems.ts';
import { MATCHERS } from '../../values/matchers/registry.ts';
import type { MatchContext } from '../../values/matchers/matcher.ts';
import { wallClock } from '../../values/wall-clock.ts';

function context(over: Partial<MatchContext> = {}): MatchContext {
  return { at: [], what: 'it', mode: 'subset', scope: {}, captures: new Map(), ...over };
}

function ok(expected: unknown, actual: unknown, over: Partial<MatchContext> = {}): boolean {
  const checks = match(expected, actual, context(over));
  expect(checks.length).toBeGreaterThan(0);
  return checks.every((check) => check.ok);
}

// Each row: expectation, values that match, values that do not. `undefined` is an absent member.
const TABLE: readonly (readonly [unknown, readonly unknown[], readonly unknown[]])[] = [
  [1, [1], [2, '1', null, undefined]],
  [null, [null], [undefined, 0, '']],
  ['a', ['a'], ['A', ['a']]],
  [{}, [{}, { a: 1 }], [null, [], 'x', undefined]],
  [{ a: 1 }, [{ a: 1 }, { a: 1, b: 2 }], [{}, { a: 2 }]],
  [[1, 2], [[1, 2]], [[2, 1], [1], [1, 2, 3], undefined]],
  [[], [[]], [[1], undefined]],
  [{ '~~a': 1 }, [{ '~a': 1 }], [{ '~~a': 1 }]],
  [{ '~eq': { '~re': 'x' } }, [{ '~re': 'x' }], ['x']],
  [{ '~ne': 1 }, [2, '1'], [1, undefined]],
  [{ '~re': '^a+$' }, ['aaa'], ['b', undefined, ['a']]],
  [{ '~re': '^4\\d\\d$' }, [404, '404'], [200]],
  [{ '~glob': 'a*.t?t' }, ['a.txt', 'abc.tat'], ['b.txt', 'a.tt', 3]],
  [{ '~in': [1, 'x', null] }, [1, 'x', null], [2, undefined]],
  [{ '~not': 1 }, [2, undefined], [1]],
  [{ '~any': [1, { '~ge': 5 }] }, [1, 5, 9], [2]],
  [{ '~any': true }, [0, null, ''], [undefined]],
  [{ '~absent': true }, [undefined], [null, 0]],
  [{ '~absent': false }, [null, 0], [undefined]],
  [{ '~type': 'integer' }, [1], [1.5, '1']],
  [{ '~type': ['string', 'null'] }, ['', null], [1, undefined]],
  [{ '~type': 'list' }, [[]], [{}]],
  [{ '~type': 'object' }, [{}], [[], null]],
  [{ '~gt': 1 }, [2], [1, '2']],
  [{ '~ge': 1 }, [1, 2], [0]],
  [{ '~lt': 1 }, [0], [1]],
  [{ '~le': 1 }, [1], [2]],
  [{ '~ge': 1, '~le': 3 }, [1, 3], [0, 4]],
  [{ '~between': [1, 2] }, [1, 2], [0, 3, '1']],
  [{ '~len': 2 }, ['ab', [1, 2], { a: 1, b: 2 }], ['a', 2, undefined]],
  [{ '~len': { '~ge': 1 } }, ['a'], ['']],
  [{ '~prefixOf': 'hello' }, ['hello', 'he'], ['', 'hex', 'hello!']],
  [{ '~prefixOf': '' }, [''], ['a']],
  [{ '~contains': { a: 1 } }, [[{ a: 2 }, { a: 1, b: 1 }]], [[], [{ a: 2 }], undefined]],
  [{ '~contains': [1, 2] }, [[2, 3, 1]], [[1]]],
  [{ '~contains': 'el' }, ['hello'], ['world']],
  [{ '~none': { a: 1 } }, [[], [{ a: 2 }]], [[{ a: 1 }], undefined]],
  [{ '~each': { '~ge': 1 } }, [[1, 2]], [[0], [], undefined]],
  [{ '~exact': { a: { b: 1 } } }, [{ a: { b: 1 } }], [{ a: { b: 1, c: 1 } }, { a: { b: 1 }, d: 1 }]],
  [{ '~exact': { a: { '~subset': { b: 1 } } } }, [{ a: { b: 1, c: 2 } }], [{ a: { b: 1 }, d: 1 }]],
  [{ '~subset': [1, 2] }, [[3, 2, 1]], [[1, 1]]],
  [
    { '~unordered': [{ '~ge': 1 }, 1] },
    [
      [1, 5],
      [5, 1],
    ],
    [[1], [5, 6], [1, 5, 6]],
  ],
  [{ '~count': 2 }, [[1, 1]], [[1], 'ab', undefined]],
  [{ '~count': { '~ge': 1 } }, [[1]], [[]]],
  [
    [1, { '~maybe': 2 }, 3],
    [
      [1, 3],
      [1, 2, 3],
    ],
    [
      [1, 2, 2, 3],
      [1, 4, 3],
    ],
  ],
  [
    [
      { '~times': 2, of: 1 },
      { '~times': { '~ge': 1 }, of: 2 },
    ],
    [
      [1, 1, 2],
      [1, 1, 2, 2],
    ],
    [
      [1, 2],
      [1, 1],
    ],
  ],
  [[{ '~times': { '~between': [0, 1] }, of: 1 }], [[], [1]], [[1, 1], [2]]],
  [{ '~json': { a: 1 } }, ['{"a":1,"b":2}'], ['{"a":2}', 'nope', { a: 1 }]],
  [{ '~base64': 'hi' }, ['aGk=', 'aGk'], ['aGk!', 'hi', 3]],
  [{ '~base64': { '~prefixOf': 'grüße' } }, ['Z3LD', 'Z3LDvMOfZ', 'Z3LDvMOfZS'], ['Z3LDvMOhZ', 'gr', 'grüße']],
  [{ '~duration': '5m' }, ['300s', '5m', '4m60s'], ['5s', 300, 'soon']],
  [{ '~duration': { '~ge': '1s', '~le': '2s' } }, ['1500ms', '1s'], ['3s']],
  [{ '~bytes': '1Ki' }, [1024, '1024', '1Ki'], ['1k', 'x']],
  [{ '~class': '4xx' }, [400, 499], [399, 500, '404']],
];

describe('match', () => {
  for (const [expected, good, bad] of TABLE) {
    test(JSON.stringify(expected), () => {
      for (const value of good) expect([value, ok(expected, value)]).toEqual([value, true]);
      for (const value of bad) expect([value, ok(expected, value)]).toEqual([value, false]);
    });
  }

  test('the table uses every matcher that compares on its own', () => {
    const text = JSON.stringify(TABLE);
    const elsewhere = ['~jwt', '~sameAs', '~capture', '~declared', '~if', '~fill', '~list', '~members'];
    const unused = MATCHERS.map(({ name }) => name).filter(
      (name) => !text.includes(`"${name}"`) && !elsewhere.includes(name),
    );
    expect(unused).toEqual([]);
  });

  test('a failing check names the place in the case and the path into the observation', () => {
    const [check] = match(
      { headers: { 'x-a': '1' } },
      { headers: { 'x-a': '2' } },
      context({ at: ['cases', 0], what: 'step call: ' }),
    );
    expect(check).toEqual({
      at: ['cases', 0, 'headers', 'x-a'],
      what: 'step call: headers.x-a',
      ok: false,
      expected: '"1"',
      actual: '"2"',
    });
  });

  test('~jwt verifies a token, and looks at its header, its claims and its times', () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
    const pem = (key: typeof publicKey): string => String(key.export({ format: 'pem', type: 'spki' }));
    const iat = Math.floor(wallClock() / 1000);
    const signed = (times: object): string => {
      const input = `${encode({ alg: 'RS256', kid: 'k' })}.${encode({ sub: 'a', ...times })}`;
      return `${input}.${sign('sha256', Buffer.from(input), privateKey).toString('base64url')}`;
    };
    const token = signed({ iat, exp: iat + 300 });
    const key = pem(publicKey);
    const expected = {
      header: { kid: 'k' },
      claims: { sub: 'a' },
      lifetime: 300,
      expiresIn: { '~between': [290, 300] },
    };
    expect(ok({ '~jwt': { key, ...expected } }, token)).toBe(true);
    expect(ok({ '~jwt': { key, prefix: 'Bearer ' } }, `Bearer ${token}`)).toBe(true);
    expect(ok({ '~jwt': { key, prefix: 'Bearer ' } }, token)).toBe(false);
    expect(ok({ '~jwt': { key, header: { kid: 'x' } } }, token)).toBe(false);
    expect(ok({ '~jwt': { key, claims: { sub: 'b' } } }, token)).toBe(false);
    expect(ok({ '~jwt': { key, lifetime: 60 } }, token)).toBe(false);
    expect(ok({ '~jwt': { key: pem(other) } }, token)).toBe(false);
    for (const nbf of [iat, iat + 5]) expect(ok({ '~jwt': { key } }, signed({ nbf }))).toBe(true);
    for (const nbf of [iat + 120, 'soon']) expect(ok({ '~jwt': { key } }, signed({ nbf }))).toBe(false);
    expect(ok({ '~jwt': { key } }, `${token.slice(0, -4)}AAAA`)).toBe(false);
    for (const none of ['a.b.c', 'text', 3, undefined]) expect(ok({ '~jwt': { key } }, none)).toBe(false);
    expect(matcherProblems({ '~jwt': { keys: key } }, [])).not.toEqual([]);
  });

  test('~jwt tells the time by the clock of the machine, also when somebody sets it', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const key = String(publicKey.export({ format: 'pem', type: 'spki' }));
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      vi.setSystemTime(wallClock() + 7_200_000);
      const input = `${encode({ alg: 'ES256' })}.${encode({ exp: Math.floor(wallClock() / 1000) + 300 })}`;
      const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      const token = `${input}.${signature.toString('base64url')}`;
      expect(ok({ '~jwt': { key, expiresIn: { '~between': [299, 300] } } }, token)).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  test('~sameAs compares with a member of the same observation', () => {
    const expected = { id: { '~type': 'string' }, all: { '~contains': { '~sameAs': 'id' } } };
    expect(ok(expected, { id: 'a', all: ['b', 'a'] })).toBe(true);
    expect(ok(expected, { id: 'a', all: ['b'] })).toBe(false);
  });

  test('~capture keeps the value, and a branch that failed leaves none behind', () => {
    const captures = new Map<string, unknown>();
    const tool = { '~contains': { name: { '~re': '^b', '~capture': 'tool' } } };
    expect(ok(tool, [{ name: 'a1' }, { name: 'b1' }], { captures })).toBe(true);
    expect(captures.get('tool')).toBe('b1');
    const other = new Map<string, unknown>();
    expect(ok({ '~any': [{ a: { '~capture': 'x' }, b: 1 }, { b: 2 }] }, { a: 7, b: 2 }, { captures: other })).toBe(
      true,
    );
    expect(other.has('x')).toBe(false);
  });

  test('~declared gates on the answer of the manifest and records without one', () => {
    const expected = { '~declared': 'U-021.status', else: { '~class': '4xx' } };
    const scope = { unspecified: { 'U-021.status': 401 } };
    expect(match(expected, 403, context({ scope })).map((check) => [check.ok, check.soft])).toEqual([
      [false, undefined],
    ]);
    expect(match(expected, 500, context()).map((check) => [check.ok, check.soft])).toEqual([[false, 'observe']]);
    expect(match({ '~declared': 'U-021' }, 500, context()).map((check) => [check.ok, check.soft])).toEqual([
      [true, 'observe'],
    ]);
  });

  test.each([
    [{ '~rex': 1 }, 'unknown matcher ~rex, did you mean ~re?'],
    [{ '~re': '(' }, '~re Invalid regular expression'],
    [{ '~ge': 'x' }, '~ge takes a number, not "x"'],
    [{ '~re': 'a', name: 1 }, '"name" stands beside a matcher'],
    [{ '~maybe': 1 }, '~maybe stands only for an item of a list'],
  ])('%j is an authoring error', (expected, message) => {
    expect(() => match(expected, 'a', context())).toThrow(AuthoringError);
    expect(() => match(expected, 'a', context())).toThrow(message);
  });

  test('the same errors are found without a value', () => {
    const expected = { a: [{ '~rex': 1 }], b: { '~between': [2, 1] }, c: { '~ge': '${row.x}' } };
    expect(matcherProblems(expected, []).map(({ at, message }) => `${at.join('.')}: ${message}`)).toEqual([
      'a.0.~rex: unknown matcher ~rex, did you mean ~re?',
      'b.~between: ~between takes two numbers, the smaller first, not [2,1]',
    ]);
  });
});

// Keys and list entries without ~, so that nothing reads like a matcher.
const json = fc.jsonValue({ maxDepth: 4 }).filter((value) => !JSON.stringify(value).includes('~'));

describe('laws', () => {
  test('every JSON value matches itself', () => {
    fc.assert(fc.property(json, (value) => ok(value, value)));
  });

  test('an exact match holds exactly when the values are equal', () => {
    const pair = fc.oneof(
      fc.tuple(json, json),
      json.map((value) => [value, structuredClone(value)] as const),
    );
    fc.assert(fc.property(pair, ([left, right]) => ok(left, right, { mode: 'exact' }) === jsonEquals(left, right)));
  });

  test('adding a member to an object breaks an exact match and no subset match', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]+$/), fc.integer()), (value) => {
        const more = { ...value, 'one-more': 1 };
        return ok(value, more) && !ok(value, more, { mode: 'exact' });
      }),
    );
  });
});

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
