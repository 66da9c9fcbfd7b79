import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DataPlane, startDataPlane } from '../../support/data-plane.ts';
import { listen } from './support/listen.ts';
import { type McpPeer, startMcpServer } from './support/mcp-server.ts';
import { mcpSetup, target } from './support/setup.ts';

/*
 * What the proxy itself answers; the documents leave it open. docs/decisions/mcp-errors.md
 */

const INITIALIZE = call(1, 'initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 't', version: '1' },
});
const PING = call(7, 'ping');
const BOTH = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

let peer: McpPeer;
let plane: DataPlane;

beforeAll(async () => {
  peer = await startMcpServer({ serve: (server) => void server.registerTool('t', {}, () => ({ content: [] })) });
  plane = await startDataPlane((port) => mcpSetup(port, { targets: [target('one', peer.port)] }));
});

afterAll(async () => {
  await plane[Symbol.asyncDispose]();
  await peer[Symbol.asyncDispose]();
});

describe('before any session', () => {
  test.each([
    ['PUT', {}, '', 405, 'method not allowed; must be GET, POST, or DELETE'],
    [
      'POST',
      { ...BOTH, accept: 'application/json' },
      PING,
      406,
      'client must accept both application/json and text/event-stream',
    ],
    [
      'POST',
      { ...BOTH, accept: 'text/event-stream' },
      PING,
      406,
      'client must accept both application/json and text/event-stream',
    ],
    ['POST', { ...BOTH, 'content-type': 'text/plain' }, PING, 415, 'client must send application/json'],
    [
      'POST',
      { ...BOTH, 'content-encoding': 'gzip' },
      PING,
      415,
      'client must send its messages without content-encoding',
    ],
    ['POST', BOTH, 'nonsense', 400, 'fail to deserialize request body: not JSON'],
    ['POST', BOTH, `[${PING}]`, 400, 'fail to deserialize request body: not a JSON-RPC message'],
    ['POST', BOTH, PING.replace('2.0', '1.0'), 400, 'fail to deserialize request body: not a message of JSON-RPC 2.0'],
    ['POST', BOTH, '[]'.padStart(3_000_000), 400, 'fail to deserialize request body: length limit exceeded'],
    ['POST', BOTH, PING, 400, 'session header is required for non-initialize requests'],
    ['POST', { ...BOTH, 'mcp-session-id': 'x' }, PING, 400, 'invalid session ID header'],
    ['POST', { ...BOTH, 'mcp-session-id': foreign() }, PING, 404, 'session not found'],
    ['GET', { accept: 'application/json' }, '', 406, 'client must accept text/event-stream'],
    ['GET', { accept: 'text/event-stream' }, '', 400, 'session ID is required'],
    ['GET', { accept: 'text/event-stream', 'mcp-session-id': 'x' }, '', 404, 'session not found'],
    ['DELETE', {}, '', 400, 'session ID is required'],
  ])('%s %j', async (method, headers, body, status, text) => {
    const answer = await ask(method, headers, body);
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      status,
      'text/plain',
      `mcp: ${text}`,
    ]);
  });

  test('DELETE of what is not there', async () => {
    expect((await ask('DELETE', { 'mcp-session-id': 'x' }, '')).status).toBe(202);
  });
});

describe('messages', () => {
  const nested = (depth: number): string =>
    PING.replace('"ping"', `"ping","params":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`);

  test.each([
    ['an id that is too long', call('x'.repeat(1025), 'ping'), 'id is neither a whole number nor a short text'],
    [
      'an id beyond what can be told apart',
      PING.replace('7', '90071992547409931'),
      'id is neither a whole number nor a short text',
    ],
    ['an id that is null', PING.replace('7', 'null'), 'id is neither a whole number nor a short text'],
    ['an id that is a fraction', PING.replace('7', '7.5'), 'id is neither a whole number nor a short text'],
    ['a megabyte of nesting', nested(500_000), 'nested more than 256 levels deep'],
    ['one level too many', nested(255), 'nested more than 256 levels deep'],
    ['params that are a list', PING.replace('"ping"', '"ping","params":[1]'), 'params is not an object'],
  ])('%s', async (_, body, why) => {
    const headers = { ...BOTH, 'mcp-session-id': await begin() };
    const answer = await ask('POST', headers, body);
    expect([answer.status, await answer.text()]).toEqual([400, `mcp: fail to deserialize request body: ${why}`]);
    expect((await ask('POST', headers, PING)).status).toBe(200);
  });

  test('the deepest and the longest that is taken', async () => {
    const headers = { ...BOTH, 'mcp-session-id': await begin() };
    expect((await ask('POST', headers, nested(254))).status).toBe(200);
    expect((await ask('POST', headers, call('x'.repeat(1024), 'ping'))).status).toBe(200);
  });
});

describe('versions', () => {
  test('an unknown one is refused with those that are known', async () => {
    const headers = { ...BOTH, 'mcp-session-id': await begin(), 'mcp-protocol-version': '1999-01-01' };
    const answer = await ask('POST', headers, PING);
    expect([answer.status, await answer.json()]).toEqual([
      400,
      {
        jsonrpc: '2.0',
        id: 7,
        error: {
          code: -32_022,
          message: 'unsupported MCP protocol version: 1999-01-01',
          data: {
            supported: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
            requested: '1999-01-01',
          },
        },
      },
    ]);
  });

  test('in plain text where nothing has an id', async () => {
    const headers = {
      accept: 'text/event-stream',
      'mcp-session-id': await begin(),
      'mcp-protocol-version': '1999-01-01',
    };
    const answer = await ask('GET', headers, '');
    expect([answer.status, await answer.text()]).toEqual([400, 'mcp: unsupported MCP protocol version: 1999-01-01']);
  });
});

describe('sessions', () => {
  test('end with DELETE, for every kind of request', async () => {
    const session = { 'mcp-session-id': await begin() };
    expect((await ask('DELETE', session, '')).status).toBe(202);
    expect((await ask('POST', { ...BOTH, ...session }, PING)).status).toBe(404);
    expect((await ask('GET', { accept: 'text/event-stream', ...session }, '')).status).toBe(404);
    expect((await ask('DELETE', session, '')).status).toBe(202);
  });

  test('go on in a proxy that never saw them, at POST but not at GET', async () => {
    const session = { 'mcp-session-id': await begin() };
    await using other = await startDataPlane((port) => mcpSetup(port, { targets: [target('one', peer.port)] }));
    const get = { accept: 'text/event-stream', ...session };
    expect((await ask('GET', get, '', other.port)).status).toBe(404);
    expect((await ask('POST', { ...BOTH, ...session }, PING, other.port)).status).toBe(200);
    const stream = await ask('GET', get, '', other.port);
    expect(stream.status).toBe(200);
    await stream.body?.cancel();
  });

  test('lead nowhere but to the targets of the configuration', async () => {
    const id = Buffer.from(await begin(), 'base64url').toString();
    const elsewhere = Buffer.from(id.replace(String(peer.port), '1')).toString('base64url');
    expect((await ask('POST', { ...BOTH, 'mcp-session-id': elsewhere }, PING)).status).toBe(404);
  });

  test('are not for another backend with the same targets', async () => {
    const id = Buffer.from(await begin(), 'base64url').toString();
    const other = Buffer.from(id.replace('default/b', 'default/c')).toString('base64url');
    expect((await ask('POST', { ...BOTH, 'mcp-session-id': other }, PING)).status).toBe(404);
  });
});

describe('targets', () => {
  test('nobody there', async () => {
    await using none = await startDataPlane((port) => mcpSetup(port, { targets: [target('one', 1)] }));
    const answer = await ask('POST', BOTH, INITIALIZE, none.port);
    const error = { code: -32_603, message: 'failed to send message: upstream call failed' };
    expect([answer.status, await answer.json()]).toEqual([500, { jsonrpc: '2.0', id: 1, error }]);
  });

  test.each([
    ['an HTTP refusal', 418, 'text/plain', 'teapot', 418, 'teapot'],
    ['a content type of another kind', 200, 'text/html', '<p>', 500, 'failed to send message: upstream call failed'],
    ['a body that is no message', 200, 'application/json', '{}', 500, 'failed to send message: upstream call failed'],
    ['no response at all', 202, 'text/plain', '', 500, 'failed to send message: upstream call failed'],
  ])('%s', async (_, status, type, body, expected, text) => {
    const server = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(status, { 'content-type': type }).end(body));
    });
    const bad = await listen(server);
    await using other = await startDataPlane((port) => mcpSetup(port, { targets: [target('one', bad)] }));
    const answer = await ask('POST', BOTH, INITIALIZE, other.port);
    expect(answer.status).toBe(expected);
    expect(await answer.text()).toContain(text);
    server.close();
  });
});

function call(id: unknown, method: string, params?: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

function ask(method: string, headers: Record<string, string>, body: string, port = plane.port): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/mcp`, { method, headers, ...(body === '' ? {} : { body }) });
}

async function begin(): Promise<string> {
  const answer = await ask('POST', BOTH, INITIALIZE);
  await answer.text();
  const id = answer.headers.get('mcp-session-id') ?? '';
  const said = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
  expect((await ask('POST', { ...BOTH, 'mcp-session-id': id }, said)).status).toBe(202);
  return id;
}

/** An id the proxy could have made for a backend with another target. */
function foreign(): string {
  const ticket = { t: 'mcp', n: 'ProxyBackend/default/b', s: [{ t: 'two', b: '127.0.0.1:1' }] };
  return Buffer.from(JSON.stringify(ticket)).toString('base64url');
}
