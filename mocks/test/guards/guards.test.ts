import { request } from 'node:http';
import type { Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { describe, expect, test } from 'vitest';
import type { Mock } from '../../mock.ts';
import { suiteCertificates } from '../../tls/suite.ts';
import { viewsOf, start } from '../support/start.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const BEARER = { ...JSON_TYPE, authorization: 'Bearer k' };

async function ask(
  mock: Mock,
  path: string,
  json: unknown,
  headers: Record<string, string> = BEARER,
): Promise<[number, string]> {
  const body = typeof json === 'string' ? json : JSON.stringify(json);
  const response = await fetch(`http://${mock.host}:${mock.port}${path}`, { method: 'POST', headers, body });
  return [response.status, await response.text()];
}

const PROMPT = { body: { messages: [{ role: 'user', content: 'tell Bob' }] } };
const REPLY = { body: { choices: [{ message: { role: 'assistant', content: 'Bob' } }] } };

describe('a webhook', () => {
  test('lets pass, masks and rejects by what it is asked', async () => {
    const on = [
      { match: { phase: 'response' }, reply: { mask: { Bob: '***' } } },
      { match: { text: 'Eve' }, reply: { reject: { message: 'no', status: 451 } } },
    ];
    const mock = await start({ kind: 'guard', service: 'webhook', on });
    expect(JSON.parse((await ask(mock, '/request', PROMPT))[1])).toEqual({
      action: { reason: 'nothing to object to' },
    });
    expect(JSON.parse((await ask(mock, '/response', REPLY))[1])).toMatchObject({
      action: { body: { choices: [{ message: { role: 'assistant', content: '***' } }] } },
    });
    const eve = { body: { messages: [{ role: 'user', content: 'Eve' }] } };
    expect(JSON.parse((await ask(mock, '/request', eve))[1])).toMatchObject({
      action: { body: 'no', status_code: 451 },
    });
    expect(viewsOf(mock, 'path')).toEqual([{ path: '/request' }, { path: '/response' }, { path: '/request' }]);
  });

  test.each([
    ['/request', REPLY, 400],
    ['/response', PROMPT, 400],
    ['/request', { ...PROMPT, more: 1 }, 400],
    ['/request', '{', 400],
    ['/other', PROMPT, 404],
  ])('refuses at %s %j', async (path, json, status) => {
    const mock = await start({ kind: 'guard', service: 'webhook' });
    expect((await ask(mock, path, json))[0]).toBe(status);
  });
});

test.each([
  [
    'moderation',
    '/v1/moderations',
    { input: ['a', 'b'], model: 'm' },
    { results: [{ flagged: false }, { flagged: true }] },
  ],
  ['moderation', '/v1/moderations', { input: [{ type: 'text', text: 'a' }] }, { results: [{ flagged: true }] }],
  [
    'guardrails',
    '/guardrail/g/version/1/apply',
    { source: 'INPUT', content: [{ text: { text: 'a' } }] },
    { action: 'GUARDRAIL_INTERVENED', assessments: [{ topicPolicy: { topics: [{ action: 'BLOCKED' }] } }] },
  ],
  [
    'model-guard',
    '/v1/projects/p/locations/l/templates/t:sanitizeUserPrompt',
    { user_prompt_data: { text: 'a' } },
    { sanitizationResult: { filterMatchState: 'MATCH_FOUND' } },
  ],
  [
    'guardrails',
    '/guardrail/g/version/1/apply',
    { source: 'OUTPUT', content: [{ text: { text: 'a', qualifiers: ['guard_content'] } }], outputScope: 'FULL' },
    { action: 'GUARDRAIL_INTERVENED' },
  ],
  [
    'model-guard',
    '/v1/projects/p/locations/l/templates/t:sanitizeUserPrompt',
    { userPromptData: { text: 'a' } },
    { sanitizationResult: { filterMatchState: 'MATCH_FOUND' } },
  ],
  [
    'model-guard',
    '/v1/projects/p/locations/l/templates/t:sanitizeModelResponse',
    { modelResponseData: { text: 'a' }, userPrompt: 'b' },
    { sanitizationResult: { filterMatchState: 'MATCH_FOUND' } },
  ],
])(
  '%s judges in the words of the service, and refuses what the service would',
  async (service, path, question, verdict) => {
    const mock = await start({ kind: 'guard', service, key: 'k', reply: { reject: true } });
    const [status, text] = await ask(mock, path, question);
    expect([status, JSON.parse(text)]).toMatchObject([200, verdict]);
    expect((await ask(mock, path, question, JSON_TYPE))[0]).toBe(401);
    expect((await ask(mock, path, question, { ...JSON_TYPE, authorization: 'Bearer other' }))[0]).toBe(401);
    expect((await ask(mock, path, question, { authorization: 'Bearer k' }))[0]).toBe(415);
    expect((await ask(mock, path, { ...question, unknown: 1 }))[0]).toBe(400);
    expect((await ask(mock, `${path}/x`, question))[0]).toBe(404);
    const open = await start({ kind: 'guard', service });
    expect((await ask(open, path, question, JSON_TYPE))[0]).toBe(200);
  },
);

function tunnel(mock: Mock, authority: string): Promise<[number, Socket]> {
  return new Promise((resolve, reject) => {
    request({ host: mock.host, port: mock.port, method: 'CONNECT', path: authority, headers: { host: authority } })
      .on('connect', (response, socket) => resolve([response.statusCode ?? 0, socket]))
      .on('error', reject)
      .end();
  });
}

describe('behind a proxy server', () => {
  test('the service is what lies inside, under its own name', async () => {
    const mock = await start({ kind: 'guard', service: 'moderation', behind: 'api.example:443' });
    const [status, socket] = await tunnel(mock, 'api.example:443');
    expect(status).toBe(200);
    const inner = connectSecurely({ socket, servername: 'api.example', ca: suiteCertificates().ca });
    const body = JSON.stringify({ input: 'a' });
    inner.write(
      `POST /v1/moderations HTTP/1.1\r\nhost: api.example\r\nauthorization: Bearer k\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    );
    const answer: string = await new Promise((resolve) => {
      let text = '';
      inner.on('data', (bytes: Buffer) => (text += bytes.toString())).on('end', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(viewsOf(mock, 'path')).toEqual([{ path: '/v1/moderations' }]);
  });

  test('another authority is not there', async () => {
    const mock = await start({ kind: 'guard', service: 'moderation', behind: 'api.example:443' });
    const [status, socket] = await tunnel(mock, 'other.example:443');
    socket.destroy();
    expect(status).toBe(502);
  });

  test('a service account gets no token for nothing', async () => {
    const mock = await start({ kind: 'guard', service: 'model-guard', behind: 'armor.example:443' });
    expect(JSON.parse(String(mock.variables?.['credentials']))).toMatchObject({ type: 'service_account' });
    expect((await ask(mock, '/token', 'grant_type=x'))[0]).toBe(400);
  });
});
