import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DataPlane, startDataPlane, startUpstream, type Upstream } from '../../support/data-plane.ts';
import { guardedProvider } from './guarded-provider.ts';

/*
 * No document speaks about members that an object has twice. docs/decisions/prompt-guard.md
 */

const SAID = '"content":"my 123-45-6789","content":"fine"';
const REPLY = `{"choices":[{"message":{"role":"assistant",${SAID}}}]}`;
const STREAM = `data: {"choices":[{"index":0,"delta":{${SAID}}}]}\n\ndata: [DONE]\n\n`;

let upstream: Upstream;
let plane: DataPlane;

beforeAll(async () => {
  upstream = await startUpstream((_, response) => {
    const isStream = upstream.received.at(-1)?.body.includes('"stream":true') === true;
    if (isStream) response.setHeader('content-type', 'text/event-stream');
    response.end(isStream ? STREAM : REPLY);
  });
  const promptGuard = { streaming: 'Enabled', response: [{ regex: { builtins: ['Ssn'] } }] };
  const routes = { detect: 'Detect', '*': 'Completions' };
  plane = await startDataPlane((port) => guardedProvider(port, upstream.port, { promptGuard, routes }));
});

afterAll(async () => {
  await plane[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

function post(path: string, body: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${plane.port}${path}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  });
}

const asking = (more = ''): string => `{"model":"m","messages":[{"role":"user","content":"hi"}]${more}}`;

describe('a body that can be read in two ways', () => {
  test.each([
    asking(',"messages":[{"role":"user","content":"ho"}]'),
    asking(',"m\\u006fdel":"n"'),
    '{"model":"m","messages":[{"role":"user","content":"hi","content":"ho"}]}',
    asking(',"tools":[{"type":"function","function":{"name":"a","name":"b"}}]'),
  ])('is refused where it is read as a format: %s', async (body) => {
    const before = upstream.received.length;
    expect((await post('/v1/chat/completions', body)).status).toBe(400);
    expect(upstream.received.length).toBe(before);
  });

  test('passes as it is where it is not', async () => {
    const body = asking(',"model":"n"');
    expect((await post('/v1/detect', body)).status).toBe(200);
    expect(upstream.received.at(-1)?.body).toBe(body);
  });

  test.each([
    ['reply', ''],
    ['stream', ',"stream":true'],
  ])('reaches the client as it was judged: a %s', async (_, more) => {
    const response = await post('/v1/chat/completions', asking(more));
    const text = await response.text();
    expect([response.status, text.includes('6789'), text.includes('fine')]).toEqual([200, false, true]);
  });
});
