import { createServer } from 'node:http';
import { CreateMessageRequestSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DataPlane, startDataPlane } from '../../support/data-plane.ts';
import { listen } from './support/listen.ts';
import { type McpPeer, startMcpServer } from './support/mcp-server.ts';
import { connectClient, gateway, mcpSetup, target } from './support/setup.ts';

/*
 * MCP-001, MCP-009 to MCP-017 with the protocol's own clients and servers. docs/decisions/mcp-names.md,
 * docs/decisions/mcp-multiplexing.md, docs/decisions/mcp-failures.md
 */

let alpha: McpPeer;
let beta: McpPeer;

beforeAll(async () => {
  alpha = await startMcpServer({ serve: serve('alpha'), instructions: 'first things first' });
  beta = await startMcpServer({ serve: serve('beta'), json: true });
});

afterAll(async () => {
  await alpha[Symbol.asyncDispose]();
  await beta[Symbol.asyncDispose]();
});

describe('one session', () => {
  test('introduces both', async () => {
    await using plane = await both();
    await using through = await connectClient(gateway(plane.port));
    expect(through.client.getInstructions()).toBe(
      'Several servers answer here. Names and URIs begin with the server they belong to.\n\n[a]\nfirst things first',
    );
    expect(through.client.getServerCapabilities()).toMatchObject({
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      logging: {},
    });
    await through.client.setLoggingLevel('error');
    await through.client.ping();
    for (const peer of [alpha, beta]) {
      expect(peer.seen.slice(-12).map(({ method }) => method)).toEqual(
        expect.arrayContaining(['initialize', 'notifications/initialized', 'logging/setLevel', 'ping']),
      );
    }
  });

  test('calls, prompts and resources find their server under its own names', async () => {
    await using plane = await both();
    await using through = await connectClient(gateway(plane.port));
    const { client } = through;
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'a_same',
      'a_only_alpha',
      'a_ask',
      'a_touch',
      'b_same',
      'b_only_beta',
      'b_ask',
      'b_touch',
    ]);
    expect(await client.callTool({ name: 'b_same' })).toMatchObject({ content: [{ text: 'beta' }] });
    expect(await client.callTool({ name: 'a_only_alpha' })).toMatchObject({
      content: [{ text: 'alpha' }, { uri: 'a+memo://note' }, { resource: { uri: 'a+memo://note' } }],
    });
    expect(beta.seen.some(({ message }) => message?.params?.['name'] === 'same')).toBe(true);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['a_greet', 'b_greet']);
    expect(await client.getPrompt({ name: 'b_greet' })).toMatchObject({ messages: [{ content: { text: 'beta' } }] });
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['a+memo://note', 'b+memo://note']);
    expect(await client.readResource({ uri: 'b+memo://note' })).toEqual({
      contents: [{ uri: 'b+memo://note', text: 'beta' }],
    });
    expect((await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'a+memo://any/{name}',
      'b+memo://any/{name}',
    ]);
  });

  test.each([
    ['same', 'invalid request: invalid resource name'],
    ['c_same', 'invalid request: unknown service c'],
  ])('a tool %s that no server can mean', async (name, why) => {
    await using plane = await both();
    await using through = await connectClient(gateway(plane.port));
    await expect(through.client.callTool({ name })).rejects.toThrow(`failed to send message: ${why}`);
  });

  test('the client answers whoever asks', async () => {
    await using plane = await both();
    await using through = await connectClient(gateway(plane.port), { sampling: {} });
    through.client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => ({
      model: 'm',
      role: 'assistant',
      content: { type: 'text', text: `to ${params.systemPrompt ?? ''}` },
    }));
    const asks = ['a_ask', 'b_ask'].map((name) => through.client.callTool({ name }));
    expect(await Promise.all(asks)).toMatchObject([
      { content: [{ text: 'to alpha' }] },
      { content: [{ text: 'to beta' }] },
    ]);
  });

  test('one stream tells what both say', async () => {
    await using plane = await both();
    await using through = await connectClient(gateway(plane.port));
    const { client } = through;
    const updated: string[] = [];
    const all = new Promise<void>((resolve) => {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
        updated.push(params.uri);
        if (updated.length === 2) resolve();
      });
    });
    await Promise.all([untilStream(alpha), untilStream(beta)]);
    await client.callTool({ name: 'a_touch' });
    await client.callTool({ name: 'b_touch' });
    await all;
    expect(updated.toSorted()).toEqual(['a+memo://note', 'b+memo://note']);
  });
});

describe('prefix modes', () => {
  test('Always prefixes with one target too', async () => {
    await using plane = await startDataPlane((port) =>
      mcpSetup(port, { prefixMode: 'Always', targets: [target('a', alpha.port)] }),
    );
    await using through = await connectClient(gateway(plane.port));
    expect((await through.client.listTools()).tools.map(({ name }) => name)).toContain('a_same');
    expect(await through.client.callTool({ name: 'a_same' })).toMatchObject({ content: [{ text: 'alpha' }] });
    expect((await through.client.listResources()).resources.map(({ uri }) => uri)).toEqual(['a+memo://note']);
    expect(through.client.getInstructions()).toBe('first things first');
  });

  test('Never looks names up, lists no name twice and keeps URIs apart', async () => {
    await using plane = await both({ prefixMode: 'Never' });
    await using through = await connectClient(gateway(plane.port));
    const { client } = through;
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['only_alpha', 'only_beta']);
    expect(await client.callTool({ name: 'only_beta' })).toMatchObject({
      content: [{ text: 'beta' }, { uri: 'b+memo://note' }, {}],
    });
    await expect(client.callTool({ name: 'same' })).rejects.toThrow('tool same is served by multiple targets');
    await expect(client.callTool({ name: 'nobody' })).rejects.toThrow('unknown tool nobody');
    expect((await client.listPrompts()).prompts).toEqual([]);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['a+memo://note', 'b+memo://note']);
    expect(await client.readResource({ uri: 'a+memo://note' })).toMatchObject({ contents: [{ text: 'alpha' }] });
  });
});

describe('a target that fails', () => {
  test('fails the session, and the others are left', async () => {
    await using plane = await startDataPlane((port) =>
      mcpSetup(port, { targets: [target('a', alpha.port), target('x', 1)] }),
    );
    const before = new Set(alpha.sessions());
    await expect(connectClient(gateway(plane.port))).rejects.toThrow('failed to send message: upstream call failed');
    await until(() => alpha.sessions().every((id) => before.has(id)));
    expect(alpha.seen.at(-1)?.http).toBe('DELETE');
  });

  test('is skipped with FailOpen, where it is called it is missed', async () => {
    await using plane = await startDataPlane((port) =>
      mcpSetup(port, { failureMode: 'FailOpen', targets: [target('x', 1), target('b', beta.port)] }),
    );
    await using through = await connectClient(gateway(plane.port));
    expect((await through.client.listTools()).tools.map(({ name }) => name)).toContain('b_same');
    expect(await through.client.callTool({ name: 'b_same' })).toMatchObject({ content: [{ text: 'beta' }] });
    await expect(through.client.callTool({ name: 'x_same' })).rejects.toThrow('failed to send message');
  });

  test('with many words is not listened to where it is skipped', async () => {
    const left = Promise.withResolvers<void>();
    const server = createServer((_, response) => {
      response.on('close', left.resolve);
      response.writeHead(500, { 'content-type': 'text/plain' }).write('x'.repeat(1_000_000));
    });
    const port = await listen(server);
    await using plane = await startDataPlane((own) =>
      mcpSetup(own, { failureMode: 'FailOpen', targets: [target('x', port), target('b', beta.port)] }),
    );
    await using through = await connectClient(gateway(plane.port));
    expect((await through.client.listTools()).tools).toHaveLength(4);
    await left.promise;
    server.close();
  });

  test('all of them', async () => {
    await using plane = await startDataPlane((port) =>
      mcpSetup(port, { failureMode: 'FailOpen', targets: [target('x', 1), target('y', 1)] }),
    );
    await expect(connectClient(gateway(plane.port))).rejects.toThrow('failed to send message');
  });

  test.each([
    ['FailClosed', false],
    ['FailOpen', true],
  ])('later, with %s', async (failureMode, lists) => {
    const doomed = await startMcpServer({ serve: serve('doomed') });
    await using plane = await startDataPlane((port) =>
      mcpSetup(port, { failureMode, targets: [target('a', alpha.port), target('d', doomed.port)] }),
    );
    await using through = await connectClient(gateway(plane.port));
    expect((await through.client.listTools()).tools).toHaveLength(8);
    await doomed[Symbol.asyncDispose]();
    if (lists) expect((await through.client.listTools()).tools).toHaveLength(4);
    else await expect(through.client.listTools()).rejects.toThrow('failed to send message');
    // One server's items need only that server.
    expect(await through.client.callTool({ name: 'a_same' })).toMatchObject({ content: [{ text: 'alpha' }] });
  });
});

function both(more: object = {}): Promise<DataPlane> {
  return startDataPlane((port) =>
    mcpSetup(port, { targets: [target('a', alpha.port), target('b', beta.port)], ...more }),
  );
}

/** The GET stream of the latest session is open. */
function untilStream(peer: McpPeer): Promise<void> {
  return until(
    () =>
      peer.seen.findLastIndex(({ http }) => http === 'GET') >
      peer.seen.findLastIndex(({ method }) => method === 'initialize'),
  );
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

function serve(name: string): (server: McpServer) => void {
  return (server) => {
    const text = { type: 'text', text: name } as const;
    server.registerTool('same', {}, () => ({ content: [text] }));
    server.registerTool(`only_${name}`, {}, () => ({
      content: [
        text,
        { type: 'resource_link', uri: 'memo://note', name: 'note' },
        { type: 'resource', resource: { uri: 'memo://note', text: 'noted' } },
      ],
    }));
    server.registerTool('ask', {}, async () => {
      const answer = await server.server.createMessage({ messages: [], maxTokens: 5, systemPrompt: name });
      return { content: [z.object({ type: z.literal('text'), text: z.string() }).parse(answer.content)] };
    });
    server.registerTool('touch', {}, async () => {
      await server.server.sendResourceUpdated({ uri: 'memo://note' });
      return { content: [] };
    });
    server.registerPrompt('greet', {}, () => ({ messages: [{ role: 'user', content: text }] }));
    server.registerResource('note', 'memo://note', {}, (uri) => ({ contents: [{ uri: uri.href, text: name }] }));
    server.registerResource('any', new ResourceTemplate('memo://any/{name}', { list: undefined }), {}, (uri) => ({
      contents: [{ uri: uri.href, text: 'any' }],
    }));
  };
}
