import { describe, expect, test } from 'vitest';
import { HeaderMap } from '../../../base/headers.ts';
import { withReplyHeaders } from '../../../pipeline/reply-headers.ts';
import { cors } from '../../../policies/traffic/cors.ts';
import type { CORS } from '../../../resources/proxy-policy/fields/cors.ts';
import { exchangeOf, fields } from '../support/exchange.ts';
import { ORIGIN, SERVICES } from '../../support/inert.ts';

/** What the answer to a request carries: the answer of the policy itself, or what it keeps for later. */
async function outcomeOf(
  field: CORS,
  method: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ kind: string | undefined; headers: Record<string, string> }> {
  const outcome = await cors.request?.(exchangeOf({ method, headers }), cors.compile(field, ORIGIN), SERVICES);
  if (outcome?.kind === 'answer') {
    expect(outcome.answer).toMatchObject({ status: 200, body: undefined, from: 'policy' });
    return { kind: 'answer', headers: fields(outcome.answer.headers) };
  }
  const kept = outcome?.kind === 'change' ? (outcome.handover?.replyHeaders ?? []) : [];
  return { kind: outcome?.kind, headers: Object.fromEntries(kept) };
}

const PAGE = 'https://app.example';
const VARIES = { vary: 'Origin' };
const ALLOWED = { ...VARIES, 'access-control-allow-origin': PAGE };
const preflight = { origin: PAGE, 'access-control-request-method': 'PUT' };

describe('cors', () => {
  test.each([
    ['*', true],
    [PAGE, true],
    ['https://APP.example:443', true],
    ['https://*.example', true],
    ['https://a*.example', true],
    ['https://*p*.e*e', true],
    ['https://*app.example', true],
    ['http://app.example', false],
    ['https://app.example:8443', false],
    ['https://*.app.example', false],
    ['https://*pp.exam*mple', false],
    ['https://app.example.*', false],
  ])('allowOrigins %s', async (allowOrigins, allowed) => {
    const found = await outcomeOf({ allowOrigins: [allowOrigins] }, 'GET', { origin: PAGE });
    expect(found).toEqual(allowed ? { kind: 'change', headers: ALLOWED } : { kind: 'change', headers: VARIES });
  });

  test('without an Origin the answer only says that it depends on one', async () => {
    expect(await outcomeOf({ allowOrigins: ['*'] }, 'OPTIONS', {})).toEqual({ kind: 'change', headers: VARIES });
  });

  test('a preflight that is not allowed gets an answer without permissions', async () => {
    const field = { allowOrigins: ['https://other.example'] };
    expect(await outcomeOf(field, 'OPTIONS', preflight)).toEqual({ kind: 'answer', headers: VARIES });
    expect(await outcomeOf(field, 'OPTIONS', { origin: PAGE })).toEqual({ kind: 'change', headers: VARIES });
  });

  test('a preflight that is allowed gets the lists', async () => {
    const field: CORS = {
      allowOrigins: [PAGE],
      allowMethods: ['GET', 'PUT'],
      allowHeaders: ['x-a', 'x-b'],
      exposeHeaders: ['x-c'],
      allowCredentials: true,
      maxAge: 60,
    };
    expect((await outcomeOf(field, 'OPTIONS', preflight)).headers).toEqual({
      ...ALLOWED,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': 'x-c',
      'access-control-allow-methods': 'GET,PUT',
      'access-control-allow-headers': 'x-a,x-b',
      'access-control-max-age': '60',
    });
  });

  test.each([
    [false, 'x-a , x-b', { 'access-control-allow-methods': 'PUT', 'access-control-allow-headers': 'x-a, x-b' }],
    [false, undefined, { 'access-control-allow-methods': 'PUT', 'access-control-allow-headers': '*' }],
    [true, undefined, { 'access-control-allow-methods': 'PUT', 'access-control-allow-credentials': 'true' }],
  ])('wildcards with credentials %s and headers %s', async (allowCredentials, asked, lists) => {
    const field: CORS = { allowOrigins: ['*'], allowMethods: ['*'], allowHeaders: ['*'], allowCredentials };
    const headers = { ...preflight, ...(asked !== undefined && { 'access-control-request-headers': asked }) };
    expect((await outcomeOf(field, 'OPTIONS', headers)).headers).toEqual({
      ...ALLOWED,
      'access-control-max-age': '5',
      ...lists,
    });
  });
});

test.each([
  [undefined, 'Origin'],
  ['Accept-Encoding', 'Accept-Encoding, Origin'],
  ['accept, ORIGIN', 'accept, ORIGIN'],
  ['*', '*'],
])('a backend that varies by %s is told to vary by Origin too', (known, told) => {
  const headers = HeaderMap.of(known === undefined ? [] : [['vary', known]]);
  const exchange = { ...exchangeOf({}), handover: { replyHeaders: [['vary', 'Origin']] } as const };
  expect(
    withReplyHeaders(exchange, { status: 200, headers, body: undefined, from: 'backend' }).headers.get('vary'),
  ).toBe(told);
});
