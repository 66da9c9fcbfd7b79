import { describe, expect, test } from 'vitest';
import type { Body } from '../../base/body.ts';
import { HeaderMap } from '../../base/headers.ts';
import { bytesBody } from '../../base/read-body.ts';
import {
  accessToken,
  askTokenEndpoint,
  endpointAt,
  formQuestion,
  type TokenAnswer,
} from '../../credentials/token-endpoint.ts';
import type { Call } from '../../upstream/http-call.ts';
import { exchangeOf, textOf } from '../policies/support/exchange.ts';
import { SERVICES } from '../support/inert.ts';

describe('the address of an endpoint', () => {
  test.each([
    ['http://tokens.example/token?x=1', 'tokens.example', 80, '/token?x=1', false],
    ['https://tokens.example', 'tokens.example', 443, '/', true],
    ['https://tokens.example:8443/a/b', 'tokens.example', 8443, '/a/b', true],
    ['http://[::1]:81/', '::1', 81, '/', false],
  ])('%s says where and how', (url, host, port, target, encrypted) => {
    const endpoint = endpointAt(new URL(url));
    expect(endpoint.target).toBe(target);
    expect(endpoint.server.endpoints).toEqual([{ kind: 'tcp', host, port }]);
    expect(endpoint.server.policies.tls !== undefined).toBe(encrypted);
  });
});

describe('an answer', () => {
  test('is read as JSON, whatever its status', async () => {
    const { answer, calls } = await asked(400, bytesBody(Buffer.from('{"error":"invalid_grant"}')));
    expect(answer).toEqual({ status: 400, members: { error: 'invalid_grant' } });
    const [call] = calls;
    expect(call?.request.headers.get('content-type')).toBe('application/x-www-form-urlencoded');
    expect(await textOf(call?.request.body)).toBe('grant_type=a+b&scope=%26');
  });

  test.each(['', '[1', 'null', '"text"'])('that is %j has no members', async (text) => {
    expect((await asked(200, bytesBody(Buffer.from(text)))).answer).toEqual({ status: 200, members: {} });
  });

  test('that does not end is not read to its end', async () => {
    let cancelled = false;
    const cancel = (): void => {
      cancelled = true;
    };
    const { answer } = await asked(200, { read: readForEver, cancel, length: undefined });
    expect(answer.members).toEqual({});
    expect(cancelled).toBe(true);
  });
});

describe('the token of an answer', () => {
  test.each<[string, TokenAnswer, unknown]>([
    ['its text and its time', answerWith({ access_token: 't', expires_in: 2 }), { value: 't', lifetime: 2000 }],
    ['good once when no time is named', answerWith({ access_token: 't' }), { value: 't', lifetime: 0 }],
    [
      'good once when the time is no number',
      answerWith({ access_token: 't', expires_in: '9' }),
      { value: 't', lifetime: 0 },
    ],
    ['none when there is no text', answerWith({ access_token: 1, expires_in: 2 }), undefined],
    ['none in a failure', { status: 401, members: { access_token: 't' } }, undefined],
  ])('is %s', (_, answer, token) => {
    expect(accessToken(answer)).toEqual(token);
  });
});

function readForEver(): Promise<Uint8Array> {
  return Promise.resolve(Buffer.alloc(10_000, ' '));
}

function answerWith(members: Readonly<Record<string, unknown>>): TokenAnswer {
  return { status: 200, members };
}

async function asked(
  status: number,
  body: Body,
): Promise<{ readonly answer: TokenAnswer; readonly calls: readonly Call[] }> {
  const calls: Call[] = [];
  const send = (call: Call): Promise<{ status: number; headers: HeaderMap; body: Body }> => {
    calls.push(call);
    return Promise.resolve({ status, headers: HeaderMap.EMPTY, body });
  };
  const services = { ...SERVICES, http: { send, close: () => Promise.resolve() } };
  const question = formQuestion({ grant_type: 'a b', scope: '&' });
  const answer = await askTokenEndpoint(endpointAt(new URL('http://t.example/')), question, exchangeOf(), services);
  return { answer, calls };
}
