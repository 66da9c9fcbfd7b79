import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HeaderMap } from '../../base/headers.ts';
import { requestVariables } from '../../exchange/request-state.ts';
import { credentialLocation } from '../../credentials/credential-location.ts';
import type { AuthorizationExtractionLocation } from '../../resources/proxy-policy/fields/location.ts';
import { exchangeOf, type Given } from '../policies/support/exchange.ts';

type Shown = readonly [credential: string, target: string, headers: Readonly<Record<string, unknown>>] | undefined;

/** What is found, and the request without it. */
function shownBy(location: AuthorizationExtractionLocation, given: Given): Shown {
  const exchange = exchangeOf(given);
  const found = credentialLocation(location).extract(exchange.request, requestVariables(exchange));
  if (found === undefined) return undefined;
  const rest = found.remove(exchange.request);
  return [found.credential, rest.target, rest.headers.view()];
}

const bearer = { header: { name: 'Authorization', prefix: 'Bearer ' } };

describe('a credential in a header', () => {
  test.each([
    ['Bearer abc', 'abc'],
    ['bEARER abc', 'abc'],
    ['Bearer  abc', ' abc'],
    ['Basic abc', undefined],
    ['Bearer', undefined],
    ['Bearer ', undefined],
    ['Bearerabc', undefined],
    ['', undefined],
  ])('%j with prefix shows %j', (authorization, credential) => {
    expect(shownBy(bearer, { headers: { authorization, other: '1' } })?.[0]).toBe(credential);
  });

  test('every field of the name is removed, the others stay', () => {
    const shown = shownBy({ header: { name: 'X-Key' } }, { headers: { 'x-KEY': 'k', other: '1' } });
    expect(shown).toEqual(['k', '/api/things?q=1', { other: '1' }]);
  });

  test('the first of several counts', () => {
    const { request } = exchangeOf();
    const headers = HeaderMap.of([
      ['x-key', 'first'],
      ['X-Key', 'second'],
    ]);
    const found = credentialLocation({ header: { name: 'x-key' } }).extract({ ...request, headers }, () => undefined);
    expect(found?.credential).toBe('first');
    expect(found?.remove({ ...request, headers }).headers.size).toBe(0);
  });
});

describe('a credential in the query', () => {
  test.each([
    ['/p?token=abc', 'abc', '/p'],
    ['/p?a=%20&token=abc&b=+', 'abc', '/p?a=%20&b=+'],
    ['/p?token=a%2Bb+c', 'a+b c', '/p'],
    ['/p?t%6Fken=abc&&x', 'abc', '/p?&x'],
    ['/p?token=one&token=two', 'one', '/p'],
    ['/p?token=%', '%', '/p'],
  ])('%s', (target, credential, rest) => {
    expect(shownBy({ queryParameter: { name: 'token' } }, { target })).toEqual([credential, rest, {}]);
  });

  test.each(['/p', '/p?', '/p?token', '/p?token=', '/p?Token=abc', '/p??token=abc', '/p?x=token=abc'])(
    'nothing in %s',
    (target) => {
      expect(shownBy({ queryParameter: { name: 'token' } }, { target })).toBeUndefined();
    },
  );
});

describe('a credential in a cookie', () => {
  test.each([
    ['token=abc', 'abc', undefined],
    ['a=1; token=abc; b=2', 'abc', 'a=1; b=2'],
    ['a=1;token=x=y;token=z', 'x=y', 'a=1'],
    ['token=abc;', 'abc', undefined],
  ])('%s', (cookie, credential, rest) => {
    const shown = shownBy({ cookie: { name: 'token' } }, { headers: { cookie } });
    expect(shown).toEqual([credential, '/api/things?q=1', rest === undefined ? {} : { cookie: rest }]);
  });

  test.each(['', 'token', 'Token=abc', 'token=', 'a=token=abc'])('nothing in %j', (cookie) => {
    expect(shownBy({ cookie: { name: 'token' } }, { headers: { cookie } })).toBeUndefined();
  });
});

describe('a credential that an expression finds', () => {
  test.each([
    ["request.headers['x-a'] + '!'", 'v!'],
    ["request.headers['x-b']", undefined],
    ["''", undefined],
    ['1', undefined],
    ['null', undefined],
    ['(', undefined],
  ])('%s', (expression, credential) => {
    const shown = shownBy({ expression }, { headers: { 'x-a': 'v' } });
    expect(shown?.[0]).toBe(credential);
    if (shown !== undefined) expect(shown.slice(1)).toEqual(['/api/things?q=1', { 'x-a': 'v' }]);
  });

  test('says when it needs the body', () => {
    expect(credentialLocation({ expression: 'string(request.body)' }).readsBody).toBe(true);
    expect(credentialLocation(bearer).readsBody).toBe(false);
  });
});

test('whatever a client sends, nothing throws, and what was removed is not found again', () => {
  const locations: AuthorizationExtractionLocation[] = [
    bearer,
    { header: { name: 'x' } },
    { queryParameter: { name: 'token' } },
    { cookie: { name: 'token' } },
  ];
  const piece = fc.constantFrom(
    'token',
    '=',
    '&',
    ';',
    ' ',
    '%',
    '%74',
    '+',
    '?',
    '#',
    'Bearer ',
    '"',
    ',',
    'é',
    '\u0000',
  );
  const text = fc.array(fc.oneof(piece, fc.string({ maxLength: 4 })), { maxLength: 12 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.constantFrom(...locations), text, text, (location, query, value) => {
      const exchange = exchangeOf({
        target: `/p?${query}`,
        headers: { authorization: value, x: value, cookie: value },
      });
      const { extract } = credentialLocation(location);
      const found = extract(exchange.request, () => undefined);
      expect(found?.credential).not.toBe('');
      if (found !== undefined) expect(extract(found.remove(exchange.request), () => undefined)).toBeUndefined();
    }),
  );
});
