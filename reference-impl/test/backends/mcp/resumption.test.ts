import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { expect, test } from 'vitest';
import { startDataPlane } from '../../support/data-plane.ts';
import { type McpPeer, startMcpServer } from './support/mcp-server.ts';
import { type Heard, type RawServer, type Said, startRawServer } from './support/raw-server.ts';
import { type Connected, connectClient, gateway, mcpSetup, target } from './support/setup.ts';

/*
 * A client whose stream broke goes on behind the event it saw last (Last-Event-ID), at the server that said it.
 * docs/decisions/mcp-multiplexing.md
 */

test.each([
  ['one server', 1, 'slow'],
  ['the second of two', 2, 'b_slow'],
])('%s', async (_, servers, name) => {
  const gate = Promise.withResolvers<void>();
  await using alpha = await startMcpServer({ serve: serve(gate.promise), resumable: true });
  await using beta = await startMcpServer({ serve: serve(gate.promise), resumable: true });
  const targets = [target('a', alpha.port), target('b', beta.port)].slice(0, servers);
  await using plane = await startDataPlane((port) => mcpSetup(port, { targets }));
  await using client = await connectClient(gateway(plane.port));
  const asked = servers === 1 ? alpha : beta;
  const last = await firstEvent(plane.port, client, name);
  expect(last.text).toContain('first');
  gate.resolve();
  const rest = await fetch(gateway(plane.port), {
    headers: { ...session(client), accept: 'text/event-stream', 'last-event-id': last.id },
  });
  const text = await untilText(rest, '"result"');
  expect(text).not.toContain('first');
  expect(text).toContain('second');
  expect(text).toContain('"text":"done"');
  expect(resumedAt(asked)).toHaveLength(1);
  if (servers === 2) expect(resumedAt(alpha)).toEqual([]);
});

/*
 * Clients who see no such events cannot do so themselves: the proxy takes the stream of a server up again that lets its clients poll.
 */

const RULES = { mcp: { authorization: { action: 'Deny', policy: { matchExpressions: ['mcp.tool.name == "x"'] } } } };

test('a server that ends its streams before the response is asked again where rules judge what is in them', async () => {
  await using server = await startRawServer(polled([undefined, MEANWHILE, DONE]));
  await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [target('a', server.port)] }, RULES));
  await using through = await connectClient(gateway(plane.port));
  expect(await through.client.callTool({ name: 't' })).toMatchObject({ content: [{ text: 'done' }] });
  expect(lastSeen(server)).toEqual(['0', '0', '2']);
});

test.each([
  ['goes on to say nothing', polled([]), 5],
  ['lets nobody come back', (heard: Heard) => (heard.http === 'GET' ? GONE : polled([])(heard)), 1],
])('and is given up when it %s', async (_, answers, tries) => {
  await using server = await startRawServer(answers);
  await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [target('a', server.port)] }, RULES));
  await using through = await connectClient(gateway(plane.port));
  await expect(through.client.callTool({ name: 't' })).rejects.toThrow('the server broke off');
  expect(lastSeen(server)).toHaveLength(tries);
});

/** A server that ends the stream of a call at once; whoever comes back finds the next of these messages, or nothing. */
function polled(returns: readonly (object | undefined)[]): (heard: Heard) => Said {
  let came = 0;
  let call: unknown;
  return ({ http, headers, message }) => {
    if (headers['last-event-id'] !== undefined) {
      const next = returns[came++];
      const text =
        next === undefined ? ': nothing\n\n' : `id: ${came}\ndata: ${JSON.stringify({ id: call, ...next })}\n\n`;
      return { headers: STREAM, text };
    }
    if (http === 'GET') return GONE;
    const { id, method } = message;
    if (method === 'initialize')
      return { headers: { 'mcp-session-id': 's' }, json: { jsonrpc: '2.0', id, result: HELLO } };
    if (id === undefined) return { status: 202 };
    call = id;
    return { headers: STREAM, text: 'id: 0\nretry: 5\ndata:\n\n' };
  };
}

const GONE: Said = { status: 405 };
const STREAM = { 'content-type': 'text/event-stream' };
const HELLO = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'polled', version: '1' },
};
const MEANWHILE = {
  jsonrpc: '2.0',
  id: undefined,
  method: 'notifications/message',
  params: { level: 'error', data: 'meanwhile' },
};
const DONE = { jsonrpc: '2.0', result: { content: [{ type: 'text', text: 'done' }] } };

function lastSeen({ heard }: RawServer): readonly unknown[] {
  return heard.flatMap(({ headers }) => headers['last-event-id'] ?? []);
}

/** The first event of a call that has something to say, whose stream then breaks. */
async function firstEvent(port: number, client: Connected, name: string): Promise<{ id: string; text: string }> {
  const broken = new AbortController();
  const answer = await fetch(gateway(port), {
    method: 'POST',
    headers: { ...session(client), accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'slow', method: 'tools/call', params: { name } }),
    signal: broken.signal,
  });
  const text = await untilText(answer, 'first');
  broken.abort();
  return { id: /^id: (.*)$/m.exec(text.slice(text.lastIndexOf('event: message')))?.[1] ?? '', text };
}

/** What comes up to a text. */
async function untilText(answer: Response, wanted: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  const reader = answer.body?.getReader();
  while (!text.includes(wanted)) {
    const read = await reader?.read();
    if (read?.value === undefined) break;
    text += decoder.decode(read.value, { stream: true });
  }
  reader?.releaseLock();
  return text;
}

function session({ transport }: Connected): Readonly<Record<string, string>> {
  return { 'mcp-session-id': transport.sessionId ?? '' };
}

function resumedAt({ seen }: McpPeer): readonly unknown[] {
  return seen.filter(({ headers }) => headers['last-event-id'] !== undefined);
}

function serve(gate: Promise<void>): (server: McpServer) => void {
  return (server) => {
    server.registerTool('slow', {}, async ({ sendNotification }) => {
      await sendNotification({ method: 'notifications/message', params: { level: 'error', data: 'first' } });
      await gate;
      await sendNotification({ method: 'notifications/message', params: { level: 'error', data: 'second' } });
      return { content: [{ type: 'text', text: 'done' }] };
    });
  };
}
