import { z } from 'zod';
import { CreateMessageRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DataPlane, startDataPlane } from '../../support/data-plane.ts';
import { type McpPeer, startMcpServer } from './support/mcp-server.ts';
import { connectClient, gateway, mcpSetup, target } from './support/setup.ts';

/*
 * The protocol's own client gets the same from the protocol's own server through the reference as without it.
 */

let peer: McpPeer;
let plane: DataPlane;

beforeAll(async () => {
  peer = await startMcpServer({ serve, instructions: 'be kind' });
  plane = await startDataPlane((port) => mcpSetup(port, { targets: [target('one', peer.port)] }));
});

afterAll(async () => {
  await plane[Symbol.asyncDispose]();
  await peer[Symbol.asyncDispose]();
});

const ASKED: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  'the introduction of the server': (client) =>
    Promise.resolve([client.getServerVersion(), client.getServerCapabilities(), client.getInstructions()]),
  'a ping': (client) => client.ping(),
  'the list of tools': (client) => client.listTools(),
  'a call': (client) => client.callTool({ name: 'echo', arguments: { text: 'hi' } }),
  'a call that fails': (client) => client.callTool({ name: 'broken' }),
  'a call of what is not there': (client) => outcomeOf(client.callTool({ name: 'nobody' })),
  'a call with bad arguments': (client) => outcomeOf(client.callTool({ name: 'echo', arguments: { text: 1 } })),
  'structured content': (client) => client.callTool({ name: 'sum', arguments: { a: 1, b: 2 } }),
  'the list of prompts': (client) => client.listPrompts(),
  'a prompt': (client) => client.getPrompt({ name: 'greet', arguments: { who: 'you' } }),
  'the list of resources': (client) => client.listResources(),
  'the list of templates': (client) => client.listResourceTemplates(),
  'a resource': (client) => client.readResource({ uri: 'memo://note' }),
  'a completion': (client) =>
    client.complete({ ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'who', value: 'y' } }),
  'a level of logging': (client) => client.setLoggingLevel('warning'),
  'progress of a call': async (client) => {
    const progress: unknown[] = [];
    const result = await client.callTool({ name: 'slow' }, undefined, { onprogress: (each) => progress.push(each) });
    return { result, progress };
  },
  'a method nobody knows': (client) => outcomeOf(client.request({ method: 'own/thing' }, z.looseObject({}))),
};

describe('one target', () => {
  test.each(Object.keys(ASKED))('%s', async (what) => {
    await using direct = await connectClient(peer.url);
    await using through = await connectClient(gateway(plane.port));
    const ask = ASKED[what] ?? (() => Promise.reject(new Error('no such question')));
    const expected = await ask(direct.client);
    expect(await ask(through.client)).toEqual(expected);
  });

  test('the session ends at the target when the client ends it', async () => {
    await using through = await connectClient(gateway(plane.port));
    await through.client.ping();
    const before = peer.sessions().length;
    const ended = new Promise<void>((resolve) => {
      const check = (): void => {
        if (peer.sessions().length < before) resolve();
        else setImmediate(check);
      };
      check();
    });
    await through.transport.terminateSession();
    await ended;
    expect(peer.sessions().length).toBe(before - 1);
  });

  test('the server asks the client', async () => {
    await using through = await connectClient(gateway(plane.port), { sampling: {}, elicitation: {}, roots: {} });
    const { client } = through;
    client.setRequestHandler(CreateMessageRequestSchema, () => ({
      model: 'm',
      role: 'assistant',
      content: { type: 'text', text: 'forty-two' },
    }));
    expect(await client.callTool({ name: 'ask' })).toEqual({ content: [{ type: 'text', text: 'forty-two' }] });
  });
});

async function outcomeOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    return await promise;
  } catch (error) {
    return error instanceof Error && 'code' in error ? [error.code, error.message] : error;
  }
}

function serve(server: McpServer): void {
  server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  server.registerTool('broken', {}, () => ({ content: [{ type: 'text', text: 'no' }], isError: true }));
  server.registerTool(
    'sum',
    { inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } },
    ({ a, b }) => ({ content: [], structuredContent: { sum: a + b } }),
  );
  server.registerTool('slow', {}, async ({ sendNotification, _meta }) => {
    const progressToken = _meta?.progressToken ?? 0;
    for (const progress of [1, 2]) {
      await sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total: 2 } });
    }
    return { content: [] };
  });
  server.registerTool('ask', {}, async () => {
    const answer = await server.server.createMessage({ messages: [], maxTokens: 5 });
    return { content: [{ type: 'text', text: textOf(answer.content) }] };
  });
  server.registerPrompt(
    'greet',
    { argsSchema: { who: completable(z.string(), (start) => [`${start}ou`]) } },
    ({ who }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `greet ${who}` } }],
    }),
  );
  server.registerResource('note', 'memo://note', {}, (uri) => ({ contents: [{ uri: uri.href, text: 'noted' }] }));
  server.registerResource('any', new ResourceTemplate('memo://any/{name}', { list: undefined }), {}, (uri) => ({
    contents: [{ uri: uri.href, text: 'any' }],
  }));
}

function textOf(content: unknown): string {
  return typeof content === 'object' && content !== null && 'text' in content ? String(content.text) : '';
}
