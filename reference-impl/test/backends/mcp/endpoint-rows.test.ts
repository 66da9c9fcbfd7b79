import { expect, test } from 'vitest';
import { startDataPlane } from '../../support/data-plane.ts';
import { type Heard, type Said, startRawServer } from './support/raw-server.ts';
import { mcpSetup, target } from './support/setup.ts';

/*
 * Rows of the table in docs/decisions/mcp-errors.md that need a server which says what a good one would not. The others
 * are in refusals.test.ts.
 */

const BOTH = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const STREAM = { accept: 'text/event-stream' };
const NEWS = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
const INITIALIZE = call('initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 't', version: '1' },
});
const CALL_T = call('tools/call', { name: 't' });

test('a response is a stream that nobody keeps, of messages, and only that of initialize names the session', async () => {
  await using server = await startRawServer(wellBehaved());
  await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [target('a', server.port)] }));
  const first = await post(plane.port, INITIALIZE);
  expect([first.status, first.headers.get('content-type'), first.headers.get('cache-control')]).toEqual([
    200,
    'text/event-stream',
    'no-cache',
  ]);
  const session = first.headers.get('mcp-session-id') ?? '';
  expect(session).not.toBe('');
  expect(await first.text()).toMatch(/^event: message\ndata: \{.*\}\n\n$/);
  const second = await post(plane.port, call('ping'), { 'mcp-session-id': session });
  expect([second.status, second.headers.get('mcp-session-id')]).toEqual([200, null]);
});

test.each([
  ['a notification', { jsonrpc: '2.0', method: 'notifications/progress', params: {} }],
  ['an answer that one server can be meant by', { jsonrpc: '2.0', id: 'zz', result: {} }],
])('%s is taken, and nothing is said about it', async (_, message) => {
  await using server = await startRawServer(wellBehaved());
  await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [target('a', server.port)] }));
  const answer = await post(plane.port, message, await begin(plane.port));
  expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([202, null, '']);
  expect(server.heard.at(-1)?.message).toEqual(message);
});

test('an answer to nobody, where several could be meant', async () => {
  await using server = await startRawServer(wellBehaved());
  await using plane = await startDataPlane((port) =>
    mcpSetup(port, { targets: [target('a', server.port), target('b', server.port)] }),
  );
  const answer = await post(plane.port, { jsonrpc: '2.0', id: 'zz', result: {} }, await begin(plane.port));
  expect([answer.status, await answer.text()]).toEqual([
    500,
    'mcp: failed to send message: invalid request: no upstream registered for server-initiated request id "zz"',
  ]);
});

test.each([
  ['initialize', INITIALIZE, 400, { code: -32_022, message: 'unsupported MCP protocol version: 1999-01-01' }],
  ['a notification', { jsonrpc: '2.0', method: 'notifications/x' }, 400, undefined],
])('an unknown revision of %s', async (_, message, status, error) => {
  await using server = await startRawServer(wellBehaved());
  await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [target('a', server.port)] }));
  const answer = await post(plane.port, message, { 'mcp-protocol-version': '1999-01-01' });
  const text = await answer.text();
  expect(answer.status).toBe(status);
  expect(error === undefined ? text : (JSON.parse(text) as unknown)).toEqual(
    error === undefined ? 'mcp: unsupported MCP protocol version: 1999-01-01' : { jsonrpc: '2.0', id: 1, error },
  );
  expect(server.heard).toEqual([]);
});

test.each([
  ['a field of another method', call('ping'), { 'mcp-method': 'tools/list' }, 'header/body mismatch: Mcp-Method'],
  ['a field of another name', CALL_T, { 'mcp-name': 'u' }, 'header/body mismatch: Mcp-Name'],
  ['a name in what is no base64', CALL_T, { 'mcp-name': '=?base64?!?=' }, 'invalid MCP routing header: Mcp-Name'],
])('%s', async (_, message, fields, text) => {
  await using server = await startRawServer(wellBehaved());
  await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [target('a', server.port)] }));
  const session = await begin(plane.port);
  const answer = await post(plane.port, message, { ...session, ...fields });
  expect([answer.status, await answer.json()]).toEqual([
    400,
    { jsonrpc: '2.0', id: 1, error: { code: -32_020, message: text } },
  ]);
});

test('fields that say what the message says, also in base64', async () => {
  await using server = await startRawServer(wellBehaved());
  await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [target('a', server.port)] }));
  const fields = { 'mcp-method': 'tools/call', 'mcp-name': '=?base64?dA==?=' };
  const answer = await post(plane.port, CALL_T, { ...(await begin(plane.port)), ...fields });
  expect(answer.status).toBe(200);
  expect(server.heard.at(-1)?.headers['mcp-name']).toBe('t');
});

test.each([
  ['a method nobody knows', call('own/thing'), 'unsupported method: own/thing'],
  ['a call of nothing', call('tools/call', {}), 'invalid request: invalid params for method: tools/call'],
])('%s, where several servers could be meant', async (_, message, why) => {
  await using server = await startRawServer(wellBehaved());
  await using plane = await startDataPlane((port) =>
    mcpSetup(port, { targets: [target('a', server.port), target('b', server.port)] }),
  );
  const answer = await post(plane.port, message, await begin(plane.port));
  const error = { code: -32_603, message: `failed to send message: ${why}` };
  expect([answer.status, await answer.json()]).toEqual([500, { jsonrpc: '2.0', id: 1, error }]);
});

test('a server whose Service has no address', async () => {
  await using plane = await startDataPlane((port) =>
    mcpSetup(port, { targets: [{ name: 'a', static: { backendRef: { name: 'nowhere' }, port: 80 } }] }),
  );
  const answer = await post(plane.port, INITIALIZE);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ id: 1, error: { code: -32_603 } });
});

test('no server at all', async () => {
  const selector = { services: { matchLabels: { none: 'such' } } };
  await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [{ name: 'a', selector }] }));
  const first = await post(plane.port, INITIALIZE);
  expect([first.status, await first.text()]).toEqual([503, 'mcp: no backends configured']);
  expect((await post(plane.port, call('ping'))).status).toBe(400);
});

test.each([
  ['a request', call('ping')],
  ['a notification', { jsonrpc: '2.0', method: 'notifications/x' }],
])('what a server refuses by HTTP, %s, is passed on', async (_, message) => {
  const refusal = { status: 401, headers: { 'www-authenticate': 'Bearer realm="r"' }, text: 'who are you' };
  await using server = await startRawServer(wellBehaved((heard) => (isFirst(heard) ? undefined : refusal)));
  await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [target('a', server.port)] }));
  const answer = await post(plane.port, message, await begin(plane.port));
  expect([answer.status, answer.headers.get('www-authenticate'), await answer.text()]).toEqual([
    401,
    'Bearer realm="r"',
    'who are you',
  ]);
});

test('DELETE is taken, also when the server does not take it', async () => {
  await using server = await startRawServer(
    wellBehaved(({ http }) => (http === 'DELETE' ? { status: 500, text: 'no' } : undefined)),
  );
  await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [target('a', server.port)] }));
  const headers = await begin(plane.port);
  const answer = await fetch(at(plane.port), { method: 'DELETE', headers });
  expect([answer.status, await answer.text()]).toEqual([202, '']);
});

test('GET where no server has a stream: one says so itself', async () => {
  await using server = await startRawServer(
    wellBehaved(({ http }) =>
      http === 'GET' ? { status: 405, headers: { allow: 'POST' }, text: 'not here' } : undefined,
    ),
  );
  await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [target('a', server.port)] }));
  const answer = await fetch(at(plane.port), { headers: { ...STREAM, ...(await begin(plane.port)) } });
  expect([answer.status, answer.headers.get('allow'), await answer.text()]).toEqual([405, 'POST', 'not here']);
});

test('GET where no server has a stream: for several the proxy does, and one that has it is enough', async () => {
  const none = wellBehaved(({ http }) => (http === 'GET' ? { status: 405 } : undefined));
  await using silent = await startRawServer(none);
  await using also = await startRawServer(none);
  await using speaking = await startRawServer(
    wellBehaved(({ http }) =>
      http === 'GET' ? { headers: { 'content-type': 'text/event-stream' }, text: `data: ${NEWS}\n\n` } : undefined,
    ),
  );
  const between = (other: number): ReturnType<typeof startDataPlane> =>
    startDataPlane((port) => mcpSetup(port, { targets: [target('a', silent.port), target('b', other)] }));
  await using all = await between(also.port);
  const refused = await fetch(at(all.port), { headers: { ...STREAM, ...(await begin(all.port)) } });
  expect([refused.status, await refused.text()]).toEqual([
    405,
    'mcp: GET event stream is not supported by any upstream',
  ]);
  await using some = await between(speaking.port);
  const stream = await fetch(at(some.port), { headers: { ...STREAM, ...(await begin(some.port)) } });
  expect([stream.status, await stream.text()]).toEqual([200, `event: message\ndata: ${NEWS}\n\n`]);
});

test('without sessions that of a client is not looked at, and there is no stream and nothing to end', async () => {
  await using server = await startRawServer(wellBehaved());
  await using plane = await startDataPlane((port) =>
    mcpSetup(port, { targets: [target('a', server.port)], sessionRouting: 'Stateless' }),
  );
  expect((await post(plane.port, call('ping'), { 'mcp-session-id': 'nonsense' })).status).toBe(200);
  for (const method of ['GET', 'DELETE']) {
    const answer = await fetch(at(plane.port), { method, headers: { accept: 'application/json' } });
    expect([answer.status, await answer.text()]).toEqual([
      405,
      'mcp: method not allowed; must be GET, POST, or DELETE',
    ]);
  }
});

function call(method: string, params?: object): object {
  return { jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) };
}

function at(port: number): string {
  return `http://127.0.0.1:${port}/mcp`;
}

function post(port: number, message: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(at(port), { method: 'POST', headers: { ...BOTH, ...headers }, body: JSON.stringify(message) });
}

/** The field of a new session. */
async function begin(port: number): Promise<Readonly<Record<string, string>>> {
  const answer = await post(port, INITIALIZE);
  await answer.text();
  return { 'mcp-session-id': answer.headers.get('mcp-session-id') ?? '' };
}

function isFirst({ message }: Heard): boolean {
  return message['method'] === 'initialize';
}

/** A server that says yes to everything but what `instead` answers. */
function wellBehaved(instead: (heard: Heard) => Said | undefined = () => undefined): (heard: Heard) => Said {
  return (heard) => {
    const { id } = heard.message;
    const other = instead(heard);
    if (other !== undefined) return other;
    if (heard.http !== 'POST') return { status: 405 };
    if (id === undefined || heard.message['method'] === undefined) return { status: 202 };
    const first = isFirst(heard);
    const serverInfo = { name: 's', version: '1' };
    const result = first ? { protocolVersion: '2025-06-18', capabilities: {}, serverInfo } : {};
    return { ...(first && { headers: { 'mcp-session-id': 's' } }), json: { jsonrpc: '2.0', id, result } };
  };
}
