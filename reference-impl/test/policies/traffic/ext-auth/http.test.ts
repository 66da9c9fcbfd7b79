import { describe, expect, test } from 'vitest';
import type { BackendView } from '../../../../attachment/view.ts';
import { HeaderMap } from '../../../../base/headers.ts';
import { bytesBody } from '../../../../base/read-body.ts';
import { requestVariables } from '../../../../exchange/request-state.ts';
import { askHttp } from '../../../../policies/traffic/ext-auth/http.ts';
import type { Decision } from '../../../../policies/traffic/ext-auth/decision.ts';
import type { ExtAuthHTTP } from '../../../../resources/proxy-policy/fields/ext-auth.ts';
import type { Call } from '../../../../upstream/http-call.ts';
import { SERVICES } from '../../../support/inert.ts';
import { exchangeOf, type Given } from '../../support/exchange.ts';

const SERVER: BackendView = {
  name: 'ns/auth',
  key: 'ProxyBackend/ns/auth',
  type: 'static',
  protocol: 'http',
  endpoints: [{ kind: 'tcp', host: '127.0.0.1', port: 9 }],
  policies: { sources: {} },
  mirrors: [],
};

interface Answered {
  readonly status?: number;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string | Buffer;
}

async function ask(
  field: ExtAuthHTTP,
  given: Given = {},
  { status = 200, headers = [], body = '' }: Answered = {},
): Promise<{ readonly decision: Decision; readonly sent: Call['request'] | undefined }> {
  let sent: Call['request'] | undefined;
  const services = {
    ...SERVICES,
    http: {
      ...SERVICES.http,
      send: ({ request }: Call) => {
        sent = request;
        return Promise.resolve({ status, headers: HeaderMap.of(headers), body: bytesBody(Buffer.from(body)) });
      },
    },
  };
  const exchange = exchangeOf(given);
  const question = { exchange, variables: requestVariables(exchange), body: undefined };
  return { decision: await askHttp(field).ask(question, SERVER, services), sent };
}

describe('the question to an HTTP server', () => {
  test.each([
    ['fails', { path: "request.headers['none']" }],
    ['is no path', { path: "'check'" }],
    ['is no text', { path: '[1]' }],
    ['would split the request line', { path: "'/a b'" }],
    ['of the body fails', { body: "request.headers['none']" }],
    ['does not compile', { path: '1 +' }],
  ])('an expression that %s denies without asking', async (_, field) => {
    const { decision, sent } = await ask(field);
    expect(sent).toBeUndefined();
    expect(decision).toMatchObject({ allowed: false, answer: undefined, reusable: false });
  });

  test('goes to the server under its own name, with the client’s method', async () => {
    const { sent } = await ask({}, { method: 'PATCH', headers: { authorization: 'a', 'content-length': '3' } });
    expect(sent).toMatchObject({
      method: 'PATCH',
      authority: '127.0.0.1:9',
      target: '/api/things?q=1',
      body: undefined,
    });
    expect([...(sent?.headers ?? [])]).toEqual([['authorization', 'a']]);
  });

  test('addRequestHeaders skip what fails and cannot touch the framing', async () => {
    const added = { fails: "request.headers['none']", 'x-a': "'1'", 'content-length': "'99'", host: "'auth.test'" };
    const { sent } = await ask({ addRequestHeaders: added });
    expect([...(sent?.headers ?? [])]).toEqual([['x-a', '1']]);
    expect(sent?.authority).toBe('auth.test');
  });

  test('a body has the type the client gave it', async () => {
    const { sent } = await ask({ body: "'x'" }, { headers: { 'Content-Type': 'text/x' } });
    expect(sent?.headers.get('content-type')).toBe('text/x');
    expect(sent?.body?.length).toBe(1);
  });
});

describe('the answer of an HTTP server', () => {
  test('a denial is told as it is, without what belongs to its connection', async () => {
    const headers = [
      ['www-authenticate', 'Custom'],
      ['connection', 'x-hop'],
      ['x-hop', '1'],
      ['content-length', '2'],
    ] as const;
    const { decision } = await ask({}, {}, { status: 401, headers, body: 'no' });
    expect(decision).toMatchObject({
      allowed: false,
      reusable: true,
      answer: { status: 401, body: Buffer.from('no') },
    });
    const told = decision.allowed ? undefined : decision.answer?.headers.view();
    expect(told).toEqual({ 'www-authenticate': 'Custom' });
  });

  test.each([
    [200, true],
    [401, true],
    [403, true],
    [404, false],
    [500, false],
  ])('a decision of status %d is reusable: %s', async (status, reusable) => {
    expect((await ask({}, {}, { status })).decision.reusable).toBe(reusable);
  });

  test('a denial larger than the buffer is told by the proxy', async () => {
    const { decision } = await ask({}, { maxBufferSize: 10 }, { status: 403, body: 'x'.repeat(11) });
    expect(decision).toMatchObject({ allowed: false, answer: undefined });
  });

  test.each(["request.headers['none']", "'a\\r\\nx: y'", '[1]'])(
    'redirect %s that gives no location denies',
    async (redirect) => {
      expect((await ask({ redirect }, {}, { status: 401 })).decision).toMatchObject({
        allowed: false,
        answer: undefined,
      });
    },
  );

  test('responseMetadata sees status, headers and body, and skips what fails', async () => {
    const responseMetadata = {
      code: 'response.code',
      text: 'string(response.body)',
      fails: "response.headers['none']",
    };
    const { decision } = await ask({ responseMetadata }, {}, { body: 'hello' });
    expect(decision.metadata).toEqual({ code: 200, text: 'hello' });
  });

  test('a header that came twice is copied as one list, over what the client sent', async () => {
    const headers = [
      ['X-User', 'alice'],
      ['x-user', 'bob'],
    ] as const;
    const { decision } = await ask({ allowedResponseHeaders: ['x-user', 'content-length'] }, {}, { headers });
    const { request } = exchangeOf({ headers: { 'x-user': 'mallory' } });
    const edited = decision.allowed ? decision.edit(request) : request;
    expect(edited.headers.view()).toEqual({ 'x-user': 'alice, bob' });
  });

  test('what a client says under a listed name goes, also where the server says nothing of it', async () => {
    const { decision } = await ask(
      { allowedResponseHeaders: ['X-User', 'x-team'] },
      {},
      { headers: [['x-team', 'b']] },
    );
    const { request } = exchangeOf({ headers: { 'x-user': 'mallory', 'X-Team': 'a', 'x-other': 'kept' } });
    const edited = decision.allowed ? decision.edit(request) : request;
    expect(edited.headers.view()).toEqual({ 'x-team': 'b', 'x-other': 'kept' });
  });
});
