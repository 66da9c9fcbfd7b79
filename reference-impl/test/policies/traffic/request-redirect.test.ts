import { describe, expect, test } from 'vitest';
import { location, requestRedirect } from '../../../policies/traffic/request-redirect.ts';
import { exchangeOf } from '../support/exchange.ts';
import { SERVICES } from '../../support/inert.ts';

const at = (authority: string, target = '/api/things?q=1') => exchangeOf({ authority, target }).request;
const prefix = (replacePrefixMatch: string) => ({ path: { type: 'ReplacePrefixMatch', replacePrefixMatch } }) as const;
const full = (replaceFullPath: string) => ({ path: { type: 'ReplaceFullPath', replaceFullPath } }) as const;

describe('location', () => {
  test.each([
    ['nothing but the status', {}, 'http://h.test:3000/api/things?q=1'],
    ['scheme drops the old port', { scheme: 'https' }, 'https://h.test/api/things?q=1'],
    ['host keeps the old port', { hostname: 'o.test' }, 'http://o.test:3000/api/things?q=1'],
    ['host and scheme drop it', { hostname: 'o.test', scheme: 'http' }, 'http://o.test/api/things?q=1'],
    ['port', { port: 8080 }, 'http://h.test:8080/api/things?q=1'],
    ['default port of the scheme is not written', { port: 80 }, 'http://h.test/api/things?q=1'],
    ['443 for https', { scheme: 'https', port: 443 }, 'https://h.test/api/things?q=1'],
    ['443 for http', { port: 443 }, 'http://h.test:443/api/things?q=1'],
    ['full path', full('/x'), 'http://h.test:3000/x?q=1'],
    ['full path without slash', full('x'), 'http://h.test:3000/x?q=1'],
    ['prefix', prefix('/v2'), 'http://h.test:3000/v2/things?q=1'],
    ['prefix with slash', prefix('/v2/'), 'http://h.test:3000/v2/things?q=1'],
    ['prefix to the root', prefix('/'), 'http://h.test:3000/things?q=1'],
    ['prefix to nothing', prefix(''), 'http://h.test:3000/things?q=1'],
  ] as const)('%s', (_, filter, expected) => {
    expect(location(at('h.test:3000'), filter, '/api')).toBe(expected);
  });

  test.each([
    ['/api', '/v2', '/v2'],
    ['/api/', '/v2', '/v2/'],
    ['/api?x', '/v2/', '/v2/?x'],
    ['/api', '/', '/'],
    ['/api', '', '/'],
  ])('prefix of %s replaced by %j', (target, replacement, expected) => {
    expect(location(at('h.test', target), prefix(replacement), '/api')).toBe(`http://h.test${expected}`);
  });

  test.each([
    ['/', '/v2', '/v2/api'],
    ['/', '/', '/api'],
  ])('a rule for every path: %s replaced by %s', (matched, replacement, expected) => {
    expect(location(at('h.test', '/api'), prefix(replacement), matched)).toBe(`http://h.test${expected}`);
  });

  test('an IPv6 literal keeps its brackets', () => {
    expect(location(at('[::1]:3000', '/'), {}, '/')).toBe('http://[::1]:3000/');
    expect(location(at('[::1]', '/'), { port: 81 }, '/')).toBe('http://[::1]:81/');
  });
});

describe('requestRedirect', () => {
  test.each([
    [{}, 302],
    [{ statusCode: 308 }, 308],
  ] as const)('%j', async (filter, status) => {
    const outcome = await requestRedirect.request?.(exchangeOf(), filter, SERVICES);
    expect(outcome).toMatchObject({ kind: 'answer', answer: { status, body: undefined, from: 'policy' } });
    if (outcome?.kind === 'answer')
      expect(outcome.answer.headers.get('location')).toBe('http://h.test:3000/api/things?q=1');
  });

  test('a prefix of a rule without prefix is answered 500', async () => {
    const exchange = exchangeOf();
    const exact = { ...exchange, rule: { ...exchange.rule, matchedPrefix: undefined } };
    const outcome = await requestRedirect.request?.(exact, prefix('/v2'), SERVICES);
    expect(outcome).toMatchObject({ kind: 'answer', answer: { status: 500, failure: { code: 'filterFailed' } } });
  });
});
