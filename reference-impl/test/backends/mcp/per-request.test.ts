import { createServer, type ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { promisify } from 'node:util';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  McpError,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { startDataPlane } from '../../support/data-plane.ts';
import { startMcpServer } from './support/mcp-server.ts';
import { listen } from './support/listen.ts';
import { type Heard, type Said, startRawServer } from './support/raw-server.ts';
import { connectClient, gateway, mcpSetup, target } from './support/setup.ts';

/*
 * The revision without sessions, as far as the suite's mock does not show it. docs/decisions/mcp-per-request.md
 */

const REVISION = '2026-07-28';
const VERSION = 'io.modelcontextprotocol/protocolVersion';
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

const META = { [VERSION]: REVISION, 'io.modelcontextprotocol/clientCapabilities': {} };

test('a list of several servers may be kept as long as the most cautious of them allows', async () => {
  await using one = await startRawServer(without(list({ ttlMs: 5000, cacheScope: 'public' })));
  await using two = await startRawServer(without(list({ ttlMs: 70, cacheScope: 'public' })));
  await using three = await startMcpServer({
    serve: (server) => void server.registerTool('t', {}, () => ({ content: [] })),
  });
  await using few = await startDataPlane((port) =>
    mcpSetup(port, { targets: [target('a', one.port), target('b', two.port)] }),
  );
  expect(await ask(few.port, 'tools/list')).toMatchObject({
    result: { resultType: 'complete', ttlMs: 70, cacheScope: 'public', tools: [{ name: 'a_t' }, { name: 'b_t' }] },
  });
  await using more = await startDataPlane((port) =>
    mcpSetup(port, { targets: [target('a', one.port), target('c', three.port)] }),
  );
  expect(await ask(more.port, 'tools/list')).toMatchObject({
    result: { ttlMs: 0, cacheScope: 'private', tools: [{ name: 'a_t' }, { name: 'c_t' }] },
  });
});

test('what rules look at is not for everybody', async () => {
  await using server = await startRawServer(without(list({ ttlMs: 5000, cacheScope: 'public' })));
  const authorization = { action: 'Deny', policy: { matchExpressions: ['mcp.tool.name == "x"'] } };
  await using plane = await startDataPlane((port) =>
    mcpSetup(port, { targets: [target('a', server.port)] }, { mcp: { authorization } }),
  );
  expect(await ask(plane.port, 'tools/list')).toMatchObject({ result: { ttlMs: 5000, cacheScope: 'private' } });
});

test('a server that knows no method of a list has nothing to list, whatever its status', async () => {
  await using one = await startRawServer(without(list({})));
  await using two = await startRawServer(
    without({ 'tools/list': (heard) => ({ status: 404, json: failed(heard, -32_601) }) }),
  );
  await using plane = await startDataPlane((port) =>
    mcpSetup(port, { targets: [target('a', one.port), target('b', two.port)] }),
  );
  expect(await ask(plane.port, 'tools/list')).toMatchObject({ result: { tools: [{ name: 'a_t' }] } });
  await using through = await connectClient(gateway(plane.port));
  expect((await through.client.listTools()).tools.map(({ name }) => name)).toEqual(['a_t']);
});

test('a request that does not say what its client can is refused, whatever the server speaks', async () => {
  await using server = await startMcpServer({
    serve: (each) => void each.registerTool('t', {}, () => ({ content: [] })),
  });
  await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [target('a', server.port)] }));
  const answer = await fetch(gateway(plane.port), {
    method: 'POST',
    headers: { ...BOTH, 'mcp-method': 'tools/list' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'tools/list', params: { _meta: { [VERSION]: REVISION } } }),
  });
  expect([answer.status, await answer.json()]).toMatchObject([400, { id: 3, error: { code: -32_602 } }]);
  expect(server.seen).toEqual([]);
});

test('a resource of no server is named in the error about it', async () => {
  await using one = await startRawServer(without(list({})));
  await using two = await startRawServer(without(list({})));
  await using plane = await startDataPlane((port) =>
    mcpSetup(port, { targets: [target('a', one.port), target('b', two.port)] }),
  );
  const uri = 'memo://nowhere';
  const answer = await fetch(gateway(plane.port), {
    method: 'POST',
    headers: { ...BOTH, 'mcp-method': 'resources/read', 'mcp-name': uri },
    body: JSON.stringify({ jsonrpc: '2.0', id: 4, method: 'resources/read', params: { uri, _meta: META } }),
  });
  expect(await answer.json()).toMatchObject({ id: 4, error: { code: -32_602, data: { uri } } });
});

test('what a server refuses the proxy with is an answer to what its client asked', async () => {
  await using server = await startRawServer((heard) => ({ status: 400, json: failed(heard, -32_021) }));
  await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [target('a', server.port)] }));
  const answer = await post(plane.port, 'server/discover');
  expect(server.heard[0]?.message['id']).toBe(0);
  expect([answer.status, await answer.json()]).toMatchObject([400, { id: 1, error: { code: -32_021 } }]);
});

test('an error with a status keeps it for a client without session, and loses it for one that would misread it', async () => {
  await using server = await startRawServer(
    without({ 'tools/call': (heard) => ({ status: 400, json: failed(heard, -32_021) }) }),
  );
  await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [target('a', server.port)] }));
  const answer = await post(plane.port, 'tools/call', { name: 't' });
  expect([answer.status, await answer.json()]).toEqual([
    400,
    { jsonrpc: '2.0', id: 1, error: { code: -32_021, message: 'no' } },
  ]);
  await using through = await connectClient(gateway(plane.port));
  await expect(through.client.callTool({ name: 't' })).rejects.toMatchObject({ code: -32_021 });
});

test('what a server wants to know reaches the client that can answer it, and its answer the server', async () => {
  const wanted = { resultType: 'input_required', inputRequests: { q: { method: 'elicitation/create', params: {} } } };
  await using server = await startRawServer(
    without({
      'tools/call': (heard) => ({
        json: result(heard, paramsOf(heard)['inputResponses'] === undefined ? wanted : { content: [] }),
      }),
    }),
  );
  await using plane = await startDataPlane((port) =>
    mcpSetup(port, { targets: [target('a', server.port), target('b', server.port)] }),
  );
  expect(await ask(plane.port, 'tools/call', { name: 'a_t' })).toEqual({ jsonrpc: '2.0', id: 1, result: wanted });
  const inputResponses = { q: { action: 'accept' } };
  await ask(plane.port, 'tools/call', { name: 'b_t', inputResponses, requestState: 's' });
  expect(server.heard.at(-1)?.message).toMatchObject({ params: { name: 't', inputResponses, requestState: 's' } });
  await using through = await connectClient(gateway(plane.port), { sampling: {} });
  await expect(through.client.callTool({ name: 'a_t' })).rejects.toThrow('input_required');
});

test('what a server without sessions wants to know a client with one is asked, in as many rounds as it takes', async () => {
  const rounds = [
    { inputRequests: { who: { method: 'elicitation/create', params: { message: 'who', requestedSchema: SCHEMA } } } },
    { inputRequests: { where: { method: 'roots/list' }, how: { method: 'sampling/createMessage', params: SAMPLING } } },
    {},
  ];
  await using server = await startRawServer(
    without({
      'tools/call': (heard) => {
        const round = Number(paramsOf(heard)['requestState'] ?? 0);
        if (rounds[round] === undefined) return { json: result(heard, { resultType: 'complete', content: [] }) };
        const wanted = { resultType: 'input_required', requestState: String(round + 1), ...rounds[round] };
        return { json: result(heard, wanted) };
      },
    }),
  );
  await using plane = await startDataPlane((port) =>
    mcpSetup(port, { targets: [target('a', server.port), target('b', server.port)] }),
  );
  await using through = await connectClient(gateway(plane.port), { elicitation: {}, roots: {}, sampling: {} });
  const { client } = through;
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({
    action: 'accept',
    content: { name: params.message },
  }));
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///a' }] }));
  const sampled = { model: 'm', role: 'assistant' as const, content: { type: 'text' as const, text: 'so' } };
  client.setRequestHandler(CreateMessageRequestSchema, () => sampled);
  expect(await client.callTool({ name: 'b_t', arguments: { x: 1 } })).toEqual({ content: [] });
  const asked = server.heard.filter(({ message }) => message['method'] === 'tools/call').map(paramsOf);
  expect(asked).toMatchObject([
    { name: 't', arguments: { x: 1 } },
    { name: 't', arguments: { x: 1 }, requestState: '1', inputResponses: { who: { content: { name: 'who' } } } },
    { requestState: '2', inputResponses: { where: { roots: [{ uri: 'file:///a' }] }, how: sampled } },
    { requestState: '3' },
  ]);
  expect(asked[3]).not.toHaveProperty('inputResponses');
  const can = asked.map(({ _meta: meta }) => OBJECT.parse(meta)['io.modelcontextprotocol/clientCapabilities']);
  expect(can[0]).toEqual({ elicitation: {}, roots: {}, sampling: {} });
});

test('a client that refuses to say what a server wants to know, and one that is asked for ever', async () => {
  const wanted = {
    inputRequests: { q: { method: 'elicitation/create', params: { message: 'q', requestedSchema: SCHEMA } } },
  };
  await using server = await startRawServer(
    without({ 'tools/call': (heard) => ({ json: result(heard, { resultType: 'input_required', ...wanted }) }) }),
  );
  await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [target('a', server.port)] }));
  await using refusing = await connectClient(gateway(plane.port), { elicitation: {} });
  refusing.client.setRequestHandler(ElicitRequestSchema, () => {
    throw new McpError(-32_000, 'not this');
  });
  await expect(refusing.client.callTool({ name: 't' })).rejects.toMatchObject({ code: -32_000 });
  await using patient = await connectClient(gateway(plane.port), { elicitation: {} });
  patient.client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'decline' }));
  await expect(patient.client.callTool({ name: 't' })).rejects.toThrow('after 16 rounds');
});

test('a request that a client cancels in its session ends at a server without, and no other one', async () => {
  const closed: number[] = [];
  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      const message = OBJECT.parse(JSON.parse(body));
      if (message['method'] !== 'tools/call') {
        const { status = 200, json } = without({})({ http: 'POST', headers: request.headers, message });
        return response.writeHead(status, JSON_TYPE).end(JSON.stringify(json));
      }
      const id = Number(message['id']);
      response.once('close', () => closed.push(id));
      // One says nothing at all, one has begun to.
      if (id === 12) response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      arrived.get(id)?.resolve(response);
      return undefined;
    });
  });
  const arrived = new Map([11, 12, 13].map((id) => [id, Promise.withResolvers<ServerResponse>()]));
  const port = await listen(server);
  await using _ = { [Symbol.asyncDispose]: () => promisify(server.close.bind(server))() };
  await using plane = await startDataPlane((own) => mcpSetup(own, { targets: [target('a', port)] }));
  await using through = await connectClient(gateway(plane.port));
  await using other = await connectClient(gateway(plane.port));
  const headers = {
    ...BOTH,
    'mcp-protocol-version': '2025-11-25',
    'mcp-session-id': through.transport.sessionId ?? '',
  };
  const tell = (message: object, more: object = {}): Promise<Response> =>
    fetch(gateway(plane.port), {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  const calls = [11, 12, 13].map((id) => tell({ id, method: 'tools/call', params: { name: 't' } }));
  await Promise.all([...arrived.values()].map(({ promise }) => promise));
  // The session of somebody else has requests of its own.
  await tell(cancel(13), { 'mcp-session-id': other.transport.sessionId });
  for (const id of [11, 12]) expect((await tell(cancel(id))).status).toBe(202);
  const [first, second] = await Promise.all(calls.slice(0, 2));
  expect([await first?.text(), await second?.text()]).toEqual(['', '']);
  await expect.poll(() => closed.toSorted((a, b) => a - b)).toEqual([11, 12]);
  const last = await arrived.get(13)?.promise;
  last?.writeHead(200, JSON_TYPE).end(JSON.stringify({ jsonrpc: '2.0', id: 13, result: { content: [] } }));
  expect(await (await calls[2])?.text()).toContain('"id":13');
});

test('a request that a client without session closes is cancelled at a server with sessions before the session ends', async () => {
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  await using server = await startMcpServer({
    serve: (each) =>
      void each.registerTool('t', {}, async ({ signal }) => {
        signal.addEventListener('abort', () => ended.resolve());
        begun.resolve();
        await ended.promise;
        return { content: [] };
      }),
  });
  await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [target('a', server.port)] }));
  const abort = new AbortController();
  const call = post(plane.port, 'tools/call', { name: 't' }, abort.signal);
  await begun.promise;
  abort.abort();
  await expect(call.then((each) => each.text())).rejects.toThrow();
  await ended.promise;
  const asked = server.seen.map(({ method }) => method);
  expect(asked).toContain('notifications/cancelled');
  const params = server.seen.find(({ method }) => method === 'notifications/cancelled')?.message?.params;
  expect(params).toMatchObject({ requestId: 1 });
});

test('a client with a session hears of the resources that it named, at a server without, whenever it names them', async () => {
  const asked: unknown[] = [];
  const streams: ServerResponse[] = [];
  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      const message = OBJECT.parse(JSON.parse(body));
      const params = OBJECT.parse(message['params'] ?? {});
      if (message['method'] !== 'subscriptions/listen') {
        const { status = 200, json } = without({}, RESOURCES)({ http: 'POST', headers: request.headers, message });
        return response.writeHead(status, JSON_TYPE).end(JSON.stringify(json));
      }
      const wanted = OBJECT.parse(params['notifications']);
      asked.push(wanted['resourceSubscriptions']);
      streams.push(response);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      say(response, 'notifications/subscriptions/acknowledged', { notifications: wanted });
      return undefined;
    });
  });
  const port = await listen(server);
  await using _ = { [Symbol.asyncDispose]: () => promisify(server.close.bind(server))() };
  await using plane = await startDataPlane((own) => mcpSetup(own, { targets: [target('a', port), target('b', port)] }));
  const told: string[] = [];
  const enough = Promise.withResolvers<void>();
  await using through = await connectClient(gateway(plane.port));
  const { client } = through;
  expect(client.getServerCapabilities()?.resources?.subscribe).toBe(true);
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params: { uri } }) => {
    told.push(uri);
    if (told.length === 2) enough.resolve();
  });
  await expect.poll(() => streams.length).toBe(2);
  await client.subscribeResource({ uri: 'a+memo://one' });
  expect(asked).toEqual([undefined, undefined, ['memo://one']]);
  const named = streams[2];
  if (named !== undefined) say(named, 'notifications/resources/updated', { uri: 'memo://one' });
  await client.subscribeResource({ uri: 'a+memo://two' });
  const both = streams[3];
  if (both !== undefined) say(both, 'notifications/resources/updated', { uri: 'memo://two' });
  await enough.promise;
  expect(told).toEqual(['a+memo://one', 'a+memo://two']);
  await client.unsubscribeResource({ uri: 'a+memo://one' });
  expect(asked.slice(3)).toEqual([['memo://one', 'memo://two'], ['memo://two']]);
  await expect.poll(() => streams.map(({ destroyed }) => destroyed)).toEqual([true, false, true, true, false]);
});

function cancel(requestId: number): object {
  return { method: 'notifications/cancelled', params: { requestId } };
}

const SCHEMA = { type: 'object', properties: { name: { type: 'string' } } };
const SAMPLING = { messages: [{ role: 'user', content: { type: 'text', text: 'how' } }], maxTokens: 5 };
const JSON_TYPE = { 'content-type': 'application/json' };
const RESOURCES = { resources: { subscribe: true } };

function say(response: ServerResponse, method: string, params: object): void {
  response.write(
    `data: ${JSON.stringify({ jsonrpc: '2.0', method, params: { ...params, _meta: { [SUBSCRIPTION]: 0 } } })}\n\n`,
  );
}

test('the level of a session is said with every request, and its ping is answered here', async () => {
  await using server = await startRawServer(without(list({})));
  await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [target('a', server.port)] }));
  await using through = await connectClient(gateway(plane.port));
  await through.client.listTools();
  await through.client.ping();
  await through.client.setLoggingLevel('warning');
  await through.client.listTools();
  const levels = server.heard
    .filter(({ message }) => message['method'] === 'tools/list')
    .map((heard) => metaOf(heard)['io.modelcontextprotocol/logLevel']);
  expect(levels).toEqual([undefined, 'warning']);
  expect(server.heard.map(({ message }) => message['method'])).not.toContain('ping');
});

test('the stream of a session is a subscription at a server without', async () => {
  const news = { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta: { [SUBSCRIPTION]: 0 } } };
  const agreed = {
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: {}, _meta: { [SUBSCRIPTION]: 0 } },
  };
  await using server = await startRawServer(
    without({ 'subscriptions/listen': (heard) => events(agreed, news, result(heard, { resultType: 'complete' })) }),
  );
  await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [target('a', server.port)] }));
  await using through = await connectClient(gateway(plane.port));
  const stream = await fetch(gateway(plane.port), {
    headers: { accept: 'text/event-stream', 'mcp-session-id': through.transport.sessionId ?? '' },
  });
  const told = { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: {} };
  expect(await stream.text()).toBe(`event: message\ndata: ${JSON.stringify(told)}\n\n`);
});

test('who speaks what is found out once', async () => {
  await using without1 = await startRawServer(without(list({})));
  await using old = await startMcpServer({
    serve: (server) => void server.registerTool('t', {}, () => ({ content: [] })),
  });
  await using plane = await startDataPlane((port) =>
    mcpSetup(port, { targets: [target('a', without1.port), target('b', old.port)] }),
  );
  for (let again = 0; again < 3; again += 1) await ask(plane.port, 'tools/list');
  const tried = old.seen.filter(
    ({ method, headers }) => method === 'tools/list' && headers['mcp-session-id'] === undefined,
  );
  expect(tried).toHaveLength(1);
  for (let again = 0; again < 3; again += 1) await (await connectClient(gateway(plane.port))).client.close();
  expect(without1.heard.filter(({ message }) => message['method'] === 'initialize')).toHaveLength(1);
});

test('a notification of a client without session begins none', async () => {
  await using server = await startMcpServer({
    serve: (each) => void each.registerTool('t', {}, () => ({ content: [] })),
  });
  await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [target('a', server.port)] }));
  const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  const answer = await fetch(gateway(plane.port), {
    method: 'POST',
    headers: { ...BOTH, 'mcp-method': 'notifications/cancelled' },
    body: JSON.stringify(message),
  });
  expect([answer.status, await answer.text()]).toEqual([202, '']);
  expect(server.seen.map(({ method }) => method)).not.toContain('initialize');
});

test('a server with sessions is told the level it asks for, and only then passes on what it logs', async () => {
  await using server = await startMcpServer({
    serve: (each) =>
      void each.registerTool('t', {}, async ({ sendNotification }) => {
        await sendNotification({ method: 'notifications/message', params: { level: 'error', data: 'logged' } });
        await sendNotification({ method: 'notifications/tools/list_changed' });
        return { content: [] };
      }),
  });
  await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [target('a', server.port)] }));
  const silent = await (await post(plane.port, 'tools/call', { name: 't' })).text();
  expect(silent.match(/"method"/g)).toBeNull();
  const meta = { 'io.modelcontextprotocol/logLevel': 'error' };
  const loud = await (await post(plane.port, 'tools/call', { name: 't', _meta: meta })).text();
  expect(loud.match(/"method":"[^"]*"/g)).toEqual(['"method":"notifications/message"']);
  expect(server.seen.find(({ method }) => method === 'logging/setLevel')?.message?.params).toEqual({ level: 'error' });
});

const BOTH = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
  'mcp-protocol-version': REVISION,
};

const OBJECT = z.looseObject({});

/** A request of a client without a session. */
function post(
  port: number,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  signal: AbortSignal | null = null,
): Promise<Response> {
  const meta = { ...META, ...OBJECT.parse(params['_meta'] ?? {}) };
  const { name } = params;
  return fetch(gateway(port), {
    method: 'POST',
    headers: { ...BOTH, 'mcp-method': method, ...(typeof name === 'string' && { 'mcp-name': name }) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
    signal,
  });
}

/** The last message of what comes. */
async function ask(port: number, method: string, params: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
  const text = await (await post(port, method, params)).text();
  return JSON.parse([...text.matchAll(/^data: (.*)$/gm)].at(-1)?.[1] ?? text);
}

type Answers = Readonly<Record<string, (heard: Heard) => Said>>;

/** A server without sessions that says this, and knows nothing else. */
function without(answers: Answers, capabilities: object = {}): (heard: Heard) => Said {
  return (heard) => {
    if (heard.headers['mcp-protocol-version'] !== REVISION) {
      return { status: 400, json: failed(heard, -32_022) };
    }
    const method = String(heard.message['method']);
    const supportedVersions = [REVISION];
    if (method === 'server/discover')
      return {
        json: result(heard, {
          resultType: 'complete',
          supportedVersions,
          capabilities: { logging: {}, tools: {}, ...capabilities },
        }),
      };
    return answers[method]?.(heard) ?? { status: 404, json: failed(heard, -32_601) };
  };
}

function list(hints: object): Answers {
  const tools = [{ name: 't', inputSchema: { type: 'object' } }];
  return { 'tools/list': (heard) => ({ json: result(heard, { resultType: 'complete', tools, ...hints }) }) };
}

function result({ message }: Heard, of: object): object {
  return { jsonrpc: '2.0', id: message['id'], result: of };
}

function failed({ message }: Heard, code: number): object {
  return { jsonrpc: '2.0', id: message['id'], error: { code, message: 'no' } };
}

function events(...messages: readonly object[]): Said {
  const text = messages.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('');
  return { headers: { 'content-type': 'text/event-stream' }, text };
}

function paramsOf({ message }: Heard): Readonly<Record<string, unknown>> {
  return OBJECT.parse(message['params'] ?? {});
}

function metaOf(heard: Heard): Readonly<Record<string, unknown>> {
  return OBJECT.parse(paramsOf(heard)['_meta'] ?? {});
}
