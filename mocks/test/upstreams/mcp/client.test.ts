import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, test } from 'vitest';
import type { Mock } from '../../../mock.ts';
import { start } from '../../support/start.ts';

// The SDK of the protocol, over both transports.

const ITEMS = {
  tools: [
    { name: 'add', text: '3', structured: { sum: 3 } },
    { name: 'sub', isError: true },
    { name: 'who', header: 'X-Who' },
  ],
  prompts: [{ name: 'greet', text: 'hello' }],
  resources: [{ uri: 'memo://one', name: 'one', text: 'first' }],
  templates: [{ uriTemplate: 'memo://{id}', name: 'memos' }],
  instructions: 'be kind',
};
const clients: Client[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

async function connect(mock: Mock, transport: 'streamable' | 'sse'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const { url } = mock.variables ?? {};
  const place = new URL(String(url));
  await client.connect(transport === 'sse' ? new SSEClientTransport(place) : new StreamableHTTPClientTransport(place));
  clients.push(client);
  return client;
}

describe.each(['streamable', 'sse'] as const)('the official client over %s', (transport) => {
  test('reads every kind of item, calls and gets them', async () => {
    const client = await connect(await start({ kind: 'mcp', transport, ...ITEMS }), transport);
    expect(client.getInstructions()).toBe('be kind');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['add', 'sub', 'who']);
    expect(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject({
      content: [{ type: 'text', text: '3' }],
      structuredContent: { sum: 3 },
    });
    expect(await client.callTool({ name: 'sub' })).toMatchObject({ isError: true });
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['greet']);
    expect((await client.getPrompt({ name: 'greet' })).messages[0]?.content).toEqual({ type: 'text', text: 'hello' });
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['memo://one']);
    expect((await client.readResource({ uri: 'memo://one' })).contents[0]).toMatchObject({ text: 'first' });
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(1);
    expect(await client.ping()).toEqual({});
  });

  test('reads events whose lines end in CR LF', async () => {
    const script = { kind: 'mcp', transport, crlf: true, ...(transport === 'streamable' && { stream: true }) } as const;
    const mock = await start(script);
    const client = await connect(mock, transport);
    expect(await client.callTool({ name: 'echo' })).toMatchObject({ content: [{ type: 'text', text: 'up echo {}' }] });
  });

  test('is refused what is not there', async () => {
    const client = await connect(await start({ kind: 'mcp', transport }), transport);
    await expect(client.callTool({ name: 'none' })).rejects.toThrow('Unknown tool: none');
    await expect(client.readResource({ uri: 'memo://none' })).rejects.toThrow('Resource not found');
  });
});

function news(data: string): object {
  return { method: 'notifications/message', params: { level: 'info', data } };
}

describe('over streamable HTTP the official client', () => {
  test('reads answers that are streams, and what is said before them', async () => {
    const before = [{ method: 'notifications/message', params: { level: 'info', data: 'nearly' } }];
    const on = [{ match: { method: 'tools/call' }, reply: { before } }];
    const client = await connect(await start({ kind: 'mcp', stream: true, on }), 'streamable');
    const heard: unknown[] = [];
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.push(params.data));
    expect(await client.callTool({ name: 'echo', arguments: { a: 1 } })).toMatchObject({
      content: [{ type: 'text', text: 'up echo {"a":1}' }],
    });
    expect(heard).toEqual(['nearly']);
  });

  test('follows pages', async () => {
    const tools = ['a', 'b', 'c'].map((name) => ({ name }));
    const client = await connect(await start({ kind: 'mcp', pageSize: 2, tools }), 'streamable');
    const { nextCursor, tools: first } = await client.listTools();
    expect(first.map(({ name }) => name)).toEqual(['a', 'b']);
    expect((await client.listTools({ cursor: nextCursor })).tools.map(({ name }) => name)).toEqual(['c']);
  });

  test('takes a stream up again that broke before the answer', async () => {
    const before = [news('first'), { reset: true }, news('second')];
    const on = [{ match: { method: 'tools/call' }, reply: { before } }];
    const mock = await start({ kind: 'mcp', resumable: true, on });
    const client = await connect(mock, 'streamable');
    const heard: unknown[] = [];
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.push(params.data));
    expect(await client.callTool({ name: 'echo' })).toMatchObject({ content: [{ type: 'text', text: 'up echo {}' }] });
    expect(heard).toEqual(['first', 'second']);
    expect(mock.ledger.entries.map((entry) => entry.view())).toContainEqual(
      expect.objectContaining({
        method: 'GET',
        headers: expect.objectContaining({ 'last-event-id': '1-0' }) as unknown,
      }),
    );
  });

  test('hears what the server says to who listens', async () => {
    const listen = [{ method: 'notifications/message', params: { level: 'info', data: 'news' } }];
    const heard = Promise.withResolvers<unknown>();
    const mock = await start({ kind: 'mcp', listen });
    const client = new Client({ name: 'test', version: '1.0.0' });
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => heard.resolve(params.data));
    await client.connect(new StreamableHTTPClientTransport(new URL(String(mock.variables?.['url']))));
    clients.push(client);
    expect(await heard.promise).toBe('news');
  });
});

describe('a server refuses', () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

  test.each([
    ['a message without a session', ping, {}, 400],
    ['a session it does not know', ping, { 'mcp-session-id': 'other-1' }, 404],
    ['what is no JSON-RPC', '[', {}, 400],
    ['another type', ping, { 'content-type': 'text/plain' }, 415],
    ['a client that takes no streams', ping, { accept: 'application/json' }, 406],
  ])('%s', async (_, body, headers, status) => {
    expect(await post(body, headers)).toBe(status);
  });

  test.each([
    ['one that nobody speaks', {}, '1999-01-01', 400],
    ['another than the one it speaks', { revision: '2025-06-18' }, '2025-11-25', 400],
    ['but not one of those it speaks', {}, '2025-03-26', 200],
    ['but not the one it speaks', { revision: '2025-06-18' }, '2025-06-18', 200],
  ])('a message in a revision: %s', async (_, script, revision, status) => {
    const fields = { 'mcp-protocol-version': revision };
    expect((await send({ ...script, sessions: false }, ping, fields)).status).toBe(status);
  });

  test.each([
    ['protocolVersion', { protocolVersion: undefined }],
    ['capabilities', { capabilities: undefined }],
    ['who it is', { clientInfo: { name: 'test' } }],
  ])('a client that begins without saying %s', async (_, less) => {
    const all = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const begin = { jsonrpc: '2.0', id: 1, method: 'initialize' };
    const good = await send({}, { ...begin, params: all }, {});
    expect(await good.json()).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
    const bad = await send({}, { ...begin, params: { ...all, ...less } }, {});
    expect(await bad.json()).toMatchObject({ error: { code: -32602 } });
  });
});

describe('in the revision without sessions', () => {
  const ONLY = { kind: 'mcp', revision: '2026-07-28', tools: [{ name: 'add' }], resources: [{ uri: 'memo://one' }] };
  const META = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const FIELDS = { 'mcp-protocol-version': '2026-07-28' };

  function request(method: string, params: object = {}): object {
    return { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } };
  }

  test('a server says what it can, and which revision it speaks', async () => {
    const answer = await send(ONLY, request('server/discover'), { ...FIELDS, 'mcp-method': 'server/discover' });
    expect(await answer.json()).toMatchObject({
      result: {
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        ttlMs: 0,
        cacheScope: 'private',
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'up' } },
      },
    });
  });

  test.each([
    [
      'a call',
      request('tools/call', { name: 'add' }),
      { 'mcp-method': 'tools/call', 'mcp-name': 'add' },
      200,
      undefined,
    ],
    [
      'a name in base64',
      request('tools/call', { name: 'add' }),
      { 'mcp-method': 'tools/call', 'mcp-name': '=?base64?YWRk?=' },
      200,
      undefined,
    ],
    ['no name', request('tools/call', { name: 'add' }), { 'mcp-method': 'tools/call' }, 400, -32020],
    ['another method', request('tools/list'), { 'mcp-method': 'tools/call' }, 400, -32020],
    [
      'no version in the body',
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { 'mcp-method': 'tools/list' },
      400,
      -32602,
    ],
    ['a method of sessions', request('ping'), { 'mcp-method': 'ping' }, 404, -32601],
    [
      'a resource that is not there',
      request('resources/read', { uri: 'a:b' }),
      { 'mcp-method': 'resources/read', 'mcp-name': 'a:b' },
      200,
      -32602,
    ],
  ])('%s', async (_, message, fields, status, code) => {
    const answer = await send(ONLY, message, { ...FIELDS, ...fields });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject(code === undefined ? { result: {} } : { error: { code } });
  });

  test('what is only spoken one way is refused the other way', async () => {
    const first = await send(ONLY, { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }, {});
    expect([first.status, await first.json()]).toMatchObject([
      400,
      { error: { code: -32022, data: { supported: ['2026-07-28'] } } },
    ]);
    const fields = { ...FIELDS, 'mcp-method': 'tools/list' };
    const second = await send({ kind: 'mcp' }, request('tools/list'), fields);
    expect([second.status, await second.json()]).toMatchObject([400, { error: { code: -32000 } }]);
    const third = await send({ kind: 'mcp', perRequest: true }, request('tools/list'), fields);
    expect(third.status).toBe(200);
  });

  test('who listens hears what was asked for', async () => {
    const listen = ['tools', 'prompts', 'resources'].map((kind) => ({ method: `notifications/${kind}/list_changed` }));
    const updated = { method: 'notifications/resources/updated', params: { uri: 'memo://one' } };
    const message = request('subscriptions/listen', {
      notifications: { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ['memo://one'] },
    });
    const answer = await send({ ...ONLY, listen: [...listen, updated] }, message, {
      ...FIELDS,
      'mcp-method': 'subscriptions/listen',
    });
    const said = [...(await answer.text()).matchAll(/data: (.*)/g)].map(([, data = '']): unknown => JSON.parse(data));
    const tagged = { _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } };
    expect(said).toMatchObject([
      { params: { ...tagged, notifications: { toolsListChanged: true, resourceSubscriptions: ['memo://one'] } } },
      { method: 'notifications/tools/list_changed', params: tagged },
      { method: 'notifications/resources/updated', params: tagged },
      { id: 1, result: { resultType: 'complete', ...tagged } },
    ]);
    expect(said).toHaveLength(4);
  });
});

async function post(body: unknown, headers: Record<string, string> = {}): Promise<number> {
  return (await send({ kind: 'mcp' }, body, headers)).status;
}

async function send(script: object, body: unknown, headers: Record<string, string>): Promise<Response> {
  const { variables } = await start({ kind: 'mcp', ...script });
  return fetch(String(variables?.['url']), {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}
