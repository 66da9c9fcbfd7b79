import { expect, test } from 'vitest';
import { z } from 'zod';
import { startDataPlane } from '../../support/data-plane.ts';
import { startMcpServer } from './support/mcp-server.ts';
import { type Heard, type Said, startRawServer } from './support/raw-server.ts';
import { connectClient, gateway, mcpSetup, target } from './support/setup.ts';

/*
 * The revision without sessions, as far as the suite's mock does not show it. docs/decisions/mcp-per-request.md
 */

const REVISION = '2026-07-28';
const VERSION = 'io.modelcontextprotocol/protocolVersion';
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

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
  await using through = await connectClient(gateway(plane.port), { elicitation: {} });
  await expect(through.client.callTool({ name: 'a_t' })).rejects.toThrow('input_required');
});

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
function post(port: number, method: string, params: Readonly<Record<string, unknown>> = {}): Promise<Response> {
  const capabilities = { 'io.modelcontextprotocol/clientCapabilities': {} };
  const meta = { [VERSION]: REVISION, ...capabilities, ...OBJECT.parse(params['_meta'] ?? {}) };
  const { name } = params;
  return fetch(gateway(port), {
    method: 'POST',
    headers: { ...BOTH, 'mcp-method': method, ...(typeof name === 'string' && { 'mcp-name': name }) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  });
}

/** The last message of what comes. */
async function ask(port: number, method: string, params: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
  const text = await (await post(port, method, params)).text();
  return JSON.parse([...text.matchAll(/^data: (.*)$/gm)].at(-1)?.[1] ?? text);
}

type Answers = Readonly<Record<string, (heard: Heard) => Said>>;

/** A server without sessions that says this, and knows nothing else. */
function without(answers: Answers): (heard: Heard) => Said {
  return (heard) => {
    if (heard.headers['mcp-protocol-version'] !== REVISION) {
      return { status: 400, json: failed(heard, -32_022) };
    }
    const method = String(heard.message['method']);
    const supportedVersions = [REVISION];
    if (method === 'server/discover')
      return {
        json: result(heard, { resultType: 'complete', supportedVersions, capabilities: { logging: {}, tools: {} } }),
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
