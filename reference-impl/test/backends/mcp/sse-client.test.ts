import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  CreateMessageRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type DataPlane, startDataPlane } from '../../support/data-plane.ts';
import { type McpPeer, startMcpServer } from './support/mcp-server.ts';
import { connectClient, mcpSetup, target } from './support/setup.ts';

/*
 * Clients of the older transport. docs/decisions/mcp-older-clients.md
 */

let alpha: McpPeer;
let beta: McpPeer;
let one: DataPlane;
let two: DataPlane;

beforeAll(async () => {
  [alpha, beta] = await Promise.all([
    startMcpServer({ serve: serve('alpha'), instructions: 'be kind' }),
    startMcpServer({ serve: serve('beta') }),
  ]);
  one = await startDataPlane((port) => mcpSetup(port, { targets: [target('a', alpha.port)] }));
  two = await startDataPlane((port) => mcpSetup(port, { targets: [target('a', alpha.port), target('b', beta.port)] }));
});

afterAll(async () => {
  for (const each of [one, two, alpha, beta]) await each[Symbol.asyncDispose]();
});

describe('the official client of the older transport', () => {
  test('gets the same as by the newer one from the server itself', async () => {
    await using direct = await connectClient(alpha.url);
    const through = await connectOld(one);
    for (const ask of ASKED) expect(await ask(through)).toEqual(await ask(direct.client));
    await through.close();
  });

  test('has several servers, which ask it and tell it things unasked', async () => {
    const client = await connectOld(two, { sampling: {} });
    client.setRequestHandler(CreateMessageRequestSchema, () => ({
      model: 'm',
      role: 'assistant',
      content: { type: 'text', text: 'sampled' },
    }));
    const updated = Promise.withResolvers<string>();
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
      updated.resolve(params.uri);
    });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      ...['echo', 'ask', 'touch'].map((name) => `a_${name}`),
      ...['echo', 'ask', 'touch'].map((name) => `b_${name}`),
    ]);
    expect(await client.callTool({ name: 'b_ask' })).toMatchObject({ content: [{ text: 'sampled' }] });
    await until(() => beta.seen.some(({ http }) => http === 'GET'));
    await client.callTool({ name: 'b_touch' });
    expect(await updated.promise).toBe('b+memo://note');
    await client.close();
  });

  test('hears what is said before an answer', async () => {
    const client = await connectOld(one);
    const heard: unknown[] = [];
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.push(params.data));
    await client.callTool({ name: 'echo', arguments: { text: 'loud' } });
    expect(heard).toEqual(['loud']);
    await client.close();
  });

  test('ends its session with its stream', async () => {
    await using server = await startMcpServer({ serve: serve('own') });
    await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [target('a', server.port)] }));
    const client = await connectOld(plane);
    expect(server.sessions()).toHaveLength(1);
    await client.close();
    await until(() => server.sessions().length === 0);
  });

  test('has sessions at its own end only where the backend has none', async () => {
    await using server = await startMcpServer({ serve: serve('own') });
    await using plane = await startDataPlane((port) =>
      mcpSetup(port, { targets: [target('a', server.port)], sessionRouting: 'Stateless' }),
    );
    const client = await connectOld(plane);
    expect(await client.callTool({ name: 'echo', arguments: { text: 'hi' } })).toMatchObject({
      content: [{ text: 'own hi' }],
    });
    await client.close();
    await until(() => server.sessions().length === 0);
  });
});

describe('by hand', () => {
  test('the stream says where to go, with what the client had asked for', async () => {
    const { place, cancel } = await openStream('/sse?x=1');
    expect(place).toMatch(/^\/sse\?x=1&sessionId=[0-9a-f-]{36}$/);
    await cancel();
  });

  test.each([
    ['no name of a stream', 'POST', '/sse', 422, 'mcp: failed to process session_id query parameter'],
    ['an empty one', 'POST', '/sse?sessionId=', 404, 'mcp: session not found'],
    ['one that nobody was told', 'POST', '/sse?sessionId=x', 404, 'mcp: session not found'],
    ['another method', 'PUT', '/sse', 405, 'mcp: method not allowed; must be GET, POST, or DELETE'],
  ])('%s', async (_, method, path, status, text) => {
    const answer = await fetch(at(path), { method });
    expect([answer.status, await answer.text()]).toEqual([status, text]);
  });

  test('what the proxy refuses is told to whoever said it; after the stream the place is gone', async () => {
    const { place, cancel } = await openStream('/sse');
    const say = (message: object): Promise<Response> =>
      fetch(at(place), { method: 'POST', body: JSON.stringify(message) });
    expect((await fetch(at(place), { method: 'POST', body: 'nonsense' })).status).toBe(400);
    expect((await say({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(400);
    const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 't', version: '1' } };
    expect((await say({ jsonrpc: '2.0', id: 1, method: 'initialize', params })).status).toBe(202);
    expect((await say({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
    expect((await say({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: {} })).status).toBe(500);
    await cancel();
    await untilAsync(async () => (await say({ jsonrpc: '2.0', id: 1, method: 'ping' })).status === 404);
  });
});

const ASKED: readonly ((client: Client) => Promise<unknown>)[] = [
  (client) => Promise.resolve([client.getServerVersion(), client.getServerCapabilities(), client.getInstructions()]),
  (client) => client.ping(),
  (client) => client.listTools(),
  (client) => client.callTool({ name: 'echo', arguments: { text: 'hi' } }),
  (client) => client.listPrompts(),
  (client) => client.getPrompt({ name: 'greet' }),
  (client) => client.readResource({ uri: 'memo://note' }),
];

function at(path: string): string {
  return `http://127.0.0.1:${one.port}${path}`;
}

async function connectOld(plane: DataPlane, capabilities: object = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities });
  await client.connect(new SSEClientTransport(new URL(`http://127.0.0.1:${plane.port}/sse`)));
  return client;
}

async function openStream(path: string): Promise<{ readonly place: string; readonly cancel: () => Promise<void> }> {
  const answer = await fetch(at(path), { headers: { accept: 'text/event-stream' } });
  const reader = answer.body?.getReader();
  const first = await reader?.read();
  const [, place = ''] = /^event: endpoint\ndata: (.*)\n\n$/.exec(new TextDecoder().decode(first?.value)) ?? [];
  return { place, cancel: async () => reader?.cancel() };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

async function untilAsync(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
}

function serve(name: string): (server: McpServer) => void {
  return (server) => {
    server.registerTool('echo', { inputSchema: { text: z.string() } }, async ({ text }, { sendNotification }) => {
      await sendNotification({ method: 'notifications/message', params: { level: 'error', data: text } });
      return { content: [{ type: 'text', text: `${name} ${text}` }] };
    });
    server.registerTool('ask', {}, async () => {
      const answer = await server.server.createMessage({ messages: [], maxTokens: 5 });
      return { content: [z.object({ type: z.literal('text'), text: z.string() }).parse(answer.content)] };
    });
    server.registerTool('touch', {}, async () => {
      await server.server.sendResourceUpdated({ uri: 'memo://note' });
      return { content: [] };
    });
    server.registerPrompt('greet', {}, () => ({ messages: [] }));
    server.registerResource('note', 'memo://note', {}, (uri) => ({ contents: [{ uri: uri.href, text: name }] }));
  };
}
