import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { startDataPlane } from '../../support/data-plane.ts';
import { listen } from './support/listen.ts';
import { gateway, mcpSetup, target } from './support/setup.ts';

/*
 * MCP-001: a server may end a connection while nobody uses it, and just then the proxy has begun to. docs/decisions/mcp-failures.md
 */

const MESSAGE = z.looseObject({ id: z.number(), method: z.string() });
const PARAMS = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };

test('a session with ten targets begins although the connections that were kept for them end', async () => {
  await using server = await startForgetful();
  const targets = Array.from({ length: 10 }, (_, index) => target(`t${index}`, server.port));
  await using plane = await startDataPlane((port) => mcpSetup(port, { targets }));
  for (let again = 0; again < 3; again += 1) {
    const answer = await post(plane.port, 'initialize', PARAMS);
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('"protocolVersion"')]);
  }
  expect(server.cut()).toBeGreaterThanOrEqual(10);
});

test('what is no introduction is said once', async () => {
  await using server = await startForgetful();
  await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [target('a', server.port)] }));
  const session = (await post(plane.port, 'initialize', PARAMS)).headers.get('mcp-session-id') ?? '';
  const answer = await post(plane.port, 'tools/call', { name: 't' }, { 'mcp-session-id': session });
  expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining('-32603')]);
  expect(server.cut()).toBe(1);
});

interface Forgetful extends AsyncDisposable {
  readonly port: number;
  /** Connections that ended with their second request. */
  readonly cut: () => number;
}

/** A server that answers one request of a connection and is gone when the next one comes. */
async function startForgetful(): Promise<Forgetful> {
  const used = new WeakSet<Socket>();
  let cut = 0;
  const server = createServer((request, response) => {
    const { socket } = request;
    if (used.has(socket)) {
      cut += 1;
      socket.destroy();
      return;
    }
    used.add(socket);
    void introduce(request, response);
  });
  const port = await listen(server);
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await promisify(server.close.bind(server))();
  };
  return { port, cut: () => cut, [Symbol.asyncDispose]: close };
}

async function introduce(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { id } = MESSAGE.parse(JSON.parse(await text(request)));
  const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' } };
  response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

function post(port: number, method: string, params: object, more: Record<string, string> = {}): Promise<Response> {
  return fetch(gateway(port), {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...more },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
}
