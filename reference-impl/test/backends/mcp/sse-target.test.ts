import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { CreateMessageRequestSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { describe, expect, test } from 'vitest';
import { Cancellation } from '../../../base/cancellation.ts';
import { HeaderMap } from '../../../base/headers.ts';
import type { Asked, Seat } from '../../../backends/mcp/asked.ts';
import { McpNotes } from '../../../backends/mcp/notes.ts';
import { openLink } from '../../../backends/mcp/transports/sse.ts';
import type { Answer, Targeted } from '../../../exchange/exchange.ts';
import { ArrivingBody } from '../../../upstream/arriving-body.ts';
import { exchangeOf } from '../../policies/support/exchange.ts';
import { startDataPlane } from '../../support/data-plane.ts';
import { BACKEND, SERVICES } from '../../support/inert.ts';
import { listen } from './support/listen.ts';
import { startMcpServer } from './support/mcp-server.ts';
import { connectClient, gateway, mcpSetup, target } from './support/setup.ts';

/*
 * MCP-023, MCP-026: a server of the older transport, of the protocol's own library.
 */

describe('an SSE target', () => {
  test.each(['Stateful', 'Stateless'])('is called, %s', async (sessionRouting) => {
    await using peer = await startSseServer();
    await using plane = await startDataPlane((port) =>
      mcpSetup(port, { targets: [target('old', peer.port, { protocol: 'SSE' })], sessionRouting }),
    );
    const one = await connectClient(gateway(plane.port));
    expect(await one.client.callTool({ name: 'echo', arguments: { text: 'hi' } })).toEqual({
      content: [{ type: 'text', text: 'hi' }],
    });
    expect((await one.client.listTools()).tools.map(({ name }) => name)).toEqual(['echo', 'ask', 'slow', 'touch']);
    expect(peer.seen[0]).toBe('GET /sse');
    if (sessionRouting === 'Stateful') await one.transport.terminateSession();
    await one.client.close();
    await until(() => peer.open() === 0);
  });

  test('beside one of the newer kind; it asks the client and tells it things', async () => {
    await using peer = await startSseServer();
    await using other = await startMcpServer({
      serve: (server) => void server.registerTool('echo', {}, () => ({ content: [] })),
    });
    await using plane = await startDataPlane((port) =>
      mcpSetup(port, { targets: [target('old', peer.port, { protocol: 'SSE' }), target('new', other.port)] }),
    );
    await using one = await connectClient(gateway(plane.port), { sampling: {} });
    const { client } = one;
    client.setRequestHandler(CreateMessageRequestSchema, () => ({
      model: 'm',
      role: 'assistant',
      content: { type: 'text', text: 'sampled' },
    }));
    const updated = new Promise<string>((resolve) => {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
        resolve(params.uri);
      });
    });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'old_echo',
      'old_ask',
      'old_slow',
      'old_touch',
      'new_echo',
    ]);
    expect(await client.callTool({ name: 'old_ask' })).toMatchObject({ content: [{ text: 'sampled' }] });
    await client.callTool({ name: 'old_touch' });
    expect(await updated).toBe('old+memo://note');
    const calls = ['a', 'b', 'c'].map((text) => client.callTool({ name: 'old_echo', arguments: { text } }));
    expect(await Promise.all(calls)).toMatchObject(['a', 'b', 'c'].map((text) => ({ content: [{ text }] })));
  });

  test('tells progress in the stream of the request it is about, before the response, also to a client that listens', async () => {
    await using peer = await startSseServer();
    await using plane = await startDataPlane((port) =>
      mcpSetup(port, { targets: [target('old', peer.port, { protocol: 'SSE' })] }),
    );
    await using one = await connectClient(gateway(plane.port));
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': one.transport.sessionId ?? '',
    };
    const listening = await fetch(gateway(plane.port), { headers });
    // Two at once, so that it is the token that tells them apart.
    const texts = await Promise.all(
      [71, 72].map(async (id) => {
        const params = { name: 'slow', _meta: { progressToken: `p${id}` } };
        const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
        return (await fetch(gateway(plane.port), { method: 'POST', headers, body })).text();
      }),
    );
    for (const [index, text] of texts.entries()) {
      const said = [...text.matchAll(/"progressToken":"(p\d+)"|"result"/g)].map(([whole, token]) => token ?? whole);
      const token = `p${71 + index}`;
      expect(said).toEqual([token, token, '"result"']);
    }
    await listening.body?.cancel();
  });

  test('that breaks off fails what waits, and what comes later', async () => {
    await using peer = await startSseServer();
    await using plane = await startDataPlane((port) =>
      mcpSetup(port, { targets: [target('old', peer.port, { protocol: 'SSE' })] }),
    );
    await using one = await connectClient(gateway(plane.port), { sampling: {} });
    await one.client.ping();
    peer.cut();
    const call = { name: 'echo', arguments: { text: 'x' } };
    await expect(one.client.callTool(call)).rejects.toThrow();
    await expect(one.client.callTool(call)).rejects.toThrow();
  });

  test('that names no endpoint is not listened to any more', async () => {
    const left = Promise.withResolvers<void>();
    const server = createServer((_, response) => {
      response.on('close', left.resolve);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: message\ndata: {}\n\n');
    });
    const port = await listen(server);
    await using plane = await startDataPlane((own) =>
      mcpSetup(own, { targets: [target('old', port, { protocol: 'SSE' })] }),
    );
    await expect(connectClient(gateway(plane.port))).rejects.toThrow('upstream call failed');
    await left.promise;
    server.close();
  });

  test('cannot send the proxy elsewhere', async () => {
    const posted: string[] = [];
    const server = createServer((request, response) => {
      if (request.method === 'POST') posted.push(`${request.headers.host ?? ''} ${request.url ?? ''}`);
      if (request.method === 'POST') response.writeHead(500).end();
      else
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .write('event: endpoint\ndata: http://elsewhere.test/m?x=1\n\n');
    });
    const port = await listen(server);
    await using plane = await startDataPlane((own) =>
      mcpSetup(own, { targets: [target('old', port, { protocol: 'SSE' })] }),
    );
    await expect(connectClient(gateway(plane.port))).rejects.toThrow();
    expect(posted).toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+ \/m\?x=1$/)]);
    server.closeAllConnections();
    server.close();
  });
});

test('a link keeps nothing of a request that has its response, for a client whose cancellation lives on', async () => {
  class Counted extends Cancellation {
    listening = 0;
    override onCancel(task: (reason: Error) => void): () => void {
      this.listening += 1;
      const stop = super.onCancel(task);
      return () => {
        this.listening -= 1;
        stop();
      };
    }
  }
  const cancellation = new Counted();
  const stream = new ArrivingBody(undefined, { pause: () => {}, resume: () => {}, cancel: () => {} });
  const say = (event: string, data: string): void => stream.push(Buffer.from(`event: ${event}\ndata: ${data}\n\n`));
  const callTarget = ({ request }: Targeted): Promise<Answer> => {
    const bare = { headers: HeaderMap.EMPTY, from: 'backend' } as const;
    if (request.method === 'GET') return Promise.resolve({ ...bare, status: 200, body: stream });
    say('message', '{"jsonrpc":"2.0","id":1,"result":{}}');
    return Promise.resolve({ ...bare, status: 202, body: undefined });
  };
  const exchange = { ...exchangeOf(), backend: BACKEND, cancellation };
  const mcp = { stateful: true, failOpen: false, prefixMode: 'Never', targets: [] } as const;
  const asked: Asked = { exchange, callTarget, services: SERVICES, mcp, notes: new McpNotes() };
  const old = { name: 'old', transport: 'SSE', path: '/sse', backend: BACKEND } as const;
  const seat: Seat = { target: old, sessionId: undefined, endpoint: undefined };
  say('endpoint', '/messages');
  const link = await openLink(asked, seat);
  if ('kind' in link) throw new Error('no link');
  for (let at = 0; at < 3; at += 1) {
    const sent = await link.send(asked, seat, { kind: 'request', id: 1, method: 'ping', params: undefined });
    expect(sent.kind === 'speaks' && (await sent.messages.next())?.message).toMatchObject({ outcome: { result: {} } });
  }
  expect(cancellation.listening).toBe(0);
  link.close();
});

interface SsePeer extends AsyncDisposable {
  readonly port: number;
  readonly seen: readonly string[];
  readonly open: () => number;
  readonly cut: () => void;
}

async function startSseServer(): Promise<SsePeer> {
  const transports = new Map<string, SSEServerTransport>();
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://peer.invalid');
    seen.push(`${request.method ?? ''} ${url.pathname}`);
    if (request.method === 'POST') {
      const transport = transports.get(url.searchParams.get('sessionId') ?? '');
      if (transport === undefined) response.writeHead(404).end();
      else void transport.handlePostMessage(request, response);
      return;
    }
    const transport = new SSEServerTransport('/messages', response);
    transports.set(transport.sessionId, transport);
    response.on('close', () => transports.delete(transport.sessionId));
    void offer().connect(transport);
  });
  const port = await listen(server);
  return {
    port,
    seen,
    open: () => transports.size,
    cut: () => {
      server.closeAllConnections();
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function offer(): McpServer {
  const server = new McpServer({ name: 'old', version: '1' }, { capabilities: { resources: { subscribe: true } } });
  server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  server.registerTool('ask', {}, async () => {
    const answer = await server.server.createMessage({ messages: [], maxTokens: 5 });
    return { content: [z.object({ type: z.literal('text'), text: z.string() }).parse(answer.content)] };
  });
  server.registerTool('slow', {}, async ({ sendNotification, _meta }) => {
    const progressToken = _meta?.progressToken ?? 0;
    for (const progress of [1, 2])
      await sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total: 2 } });
    return { content: [] };
  });
  server.registerTool('touch', {}, async () => {
    await server.server.sendResourceUpdated({ uri: 'memo://note' });
    return { content: [] };
  });
  return server;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
