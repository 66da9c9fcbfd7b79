import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Asked } from '../../../backends/mcp/asked.ts';
import type { McpTargetView } from '../../../attachment/backends/backend-view.ts';
import { McpNotes } from '../../../backends/mcp/notes.ts';
import { beginSession, findSession } from '../../../backends/mcp/session.ts';
import { type DataPlane, policy, startDataPlane } from '../../support/data-plane.ts';
import { exchangeOf } from '../../policies/support/exchange.ts';
import { BACKEND, SERVICES } from '../../support/inert.ts';
import { manualClock } from '../../trace/manual-clock.ts';
import { type McpPeer, startMcpServer } from './support/mcp-server.ts';
import { mcpSetup, target } from './support/setup.ts';

/*
 * Whose a session is, and for how long a process remembers it; the documents leave both open. docs/decisions/mcp-sessions.md
 */

const BOTH = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
};
const PING = { jsonrpc: '2.0', id: 7, method: 'ping' };

const ONE: McpTargetView = { name: 'one', transport: 'StreamableHTTP', path: '/mcp', backend: BACKEND };

type Fields = Readonly<Record<string, string>>;

let peer: McpPeer;

beforeAll(async () => {
  peer = await startMcpServer({ serve: () => {} });
});

afterAll(async () => {
  await peer[Symbol.asyncDispose]();
});

describe('a session of a client that a policy knows', () => {
  let plane: DataPlane;
  const alice = { authorization: 'Bearer key-of-alice' };
  const bob = { authorization: 'Bearer key-of-bob' };

  beforeAll(async () => {
    plane = await startDataPlane(forKeys);
  });

  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });

  test('is told to nobody else, who can neither use it, nor listen, nor end it', async () => {
    const session = await begin(plane.port, alice);
    expect(await say(plane.port, PING, { ...session, ...bob })).toBe(404);
    expect(await ask(plane.port, 'GET', { accept: 'text/event-stream', ...session, ...bob })).toBe(404);
    await ask(plane.port, 'DELETE', { ...session, ...bob });
    expect(await say(plane.port, PING, { ...session, ...alice })).toBe(200);
  });

  test('is told to nobody else in a proxy that never saw it either', async () => {
    const session = await begin(plane.port, alice);
    await using restarted = await startDataPlane(forKeys);
    expect(await say(restarted.port, PING, { ...session, ...bob })).toBe(404);
    expect(await say(restarted.port, PING, { ...session, ...alice })).toBe(200);
  });
});

test.each([
  ['a request before half an hour is over', 29, 200],
  ['none', 31, 404],
])('a session is remembered with %s', async (_, minutes, status) => {
  const clock = manualClock();
  await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [target('one', peer.port)] }), {
    clock,
  });
  const session = await begin(plane.port);
  clock.advance(minutes * 60_000);
  // Whoever begins one shows the register which are too old.
  await begin(plane.port);
  expect(await ask(plane.port, 'GET', { accept: 'text/event-stream', ...session })).toBe(status);
  expect(await say(plane.port, PING, session)).toBe(200);
});

test('of more sessions than a process remembers the longest unused is taken from its id again', () => {
  const request = asked();
  const seats = [{ target: ONE, sessionId: undefined, endpoint: undefined }];
  const ids = Array.from({ length: 16_384 }, () => beginSession(request, seats, {}).id ?? '');
  const [first = '', second = ''] = ids;
  expect(findSession(request, first, true)).toHaveProperty('id', first);
  beginSession(request, seats, {});
  expect(findSession(request, second, true)).toBe('sessionUnknown');
  expect(findSession(request, first, true)).toHaveProperty('id', first);
  expect(findSession(request, second, false)).toHaveProperty('id', second);
});

/** A backend for those who show one of two keys, of which nothing else is known. */
function forKeys(port: number): object[] {
  const stringData = { alice: 'key-of-alice', bob: 'key-of-bob' };
  return [
    ...mcpSetup(port, { targets: [target('one', peer.port)] }),
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, stringData },
    policy('HTTPRoute', { traffic: { apiKeyAuthentication: { secretRef: { name: 'keys' } } } }),
  ];
}

/** A request to a backend with one target, whose server is never called. */
function asked(): Asked {
  return {
    exchange: { ...exchangeOf(), backend: BACKEND, clock: manualClock() },
    mcp: { stateful: true, failOpen: false, prefixMode: 'Conditional', targets: [ONE] },
    services: { ...SERVICES },
    callTarget: () => Promise.reject(new Error('nobody is called')),
    notes: new McpNotes(),
  };
}

async function begin(port: number, fields: Fields = {}): Promise<Fields> {
  const answer = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    headers: { ...BOTH, ...fields },
    body: JSON.stringify(INITIALIZE),
  });
  await answer.text();
  return { 'mcp-session-id': answer.headers.get('mcp-session-id') ?? '' };
}

function say(port: number, message: object, fields: Fields): Promise<number> {
  return ask(port, 'POST', { ...BOTH, ...fields }, JSON.stringify(message));
}

/** The status of an answer, of which nobody reads more. */
async function ask(port: number, method: string, headers: Fields, body?: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/mcp`, { method, headers, ...(body !== undefined && { body }) });
  await answer.body?.cancel();
  return answer.status;
}
