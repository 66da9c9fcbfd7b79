import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { policy, simpleSetup, startDataPlane, startUpstream, type DataPlane } from '../support/data-plane.ts';
import { record, type Line } from '../support/recording.ts';

/*
 * What is logged of calls of agents, whose messages pass byte for byte (A2A-002). No document names the keys. docs/decisions/telemetry.md
 */

const JSON_TEXT = { 'content-type': 'application/json' };

/** What an agent that says this is logged with, and what the client got. */
async function logged(
  reply: string | Uint8Array,
  {
    headers = JSON_TEXT,
    body = '{"jsonrpc":"2.0","id":1,"method":"message/send","params":{}}',
    asked = JSON_TEXT,
    frontend = {},
  }: { headers?: Record<string, string>; body?: string; asked?: Record<string, string>; frontend?: object } = {},
): Promise<{ readonly line: Line; readonly sent: string; readonly got: Uint8Array }> {
  const recorded = record();
  await using upstream = await startUpstream((_, response) => response.writeHead(200, headers).end(reply));
  await using plane = await startDataPlane((port) => agent(port, upstream.port, frontend), recorded);
  const got = await post(plane, asked, body);
  return { line: await recorded.line({ protocol: 'a2a' }), sent: upstream.received[0]?.body ?? '', got };
}

function agent(port: number, upstream: number, frontend: object): object[] {
  return [
    ...simpleSetup(port, upstream).map((object) =>
      'kind' in object && object.kind === 'ProxyBackend'
        ? { ...object, spec: { a2a: { host: '127.0.0.1', port: upstream } } }
        : object,
    ),
    policy('Gateway', { frontend: { accessLog: {}, ...frontend } }),
  ];
}

async function post(plane: DataPlane, headers: Record<string, string>, body: string): Promise<Uint8Array> {
  const answer = await fetch(`http://127.0.0.1:${plane.port}/`, { method: 'POST', headers, body });
  return new Uint8Array(await answer.arrayBuffer());
}

test('a result that says what it is: its kind, the state of the task and the conversation', async () => {
  const reply =
    '{"jsonrpc":"2.0", "id":1,"result":{"kind":"task","id":"t","contextId":"c-1","status":{"state":"completed"}}}';
  const { line, sent, got } = await logged(reply);
  expect(line).toMatchObject({
    'a2a.method': 'message/send',
    'a2a.response.outcome': 'success',
    'a2a.result.kind': 'task',
    'a2a.task.state': 'completed',
    'a2a.context.id': 'c-1',
  });
  expect(line).not.toHaveProperty('a2a.response.error_code');
  expect(sent).toBe('{"jsonrpc":"2.0","id":1,"method":"message/send","params":{}}');
  expect(Buffer.from(got).toString()).toBe(reply);
});

test.each([
  ['{"result":{"task":{"contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}}', 'task', 'TASK_STATE_WORKING'],
  ['{"result":{"message":{"contextId":"c","parts":[]}}}', 'message', undefined],
  ['{"result":{"contextId":"c","status":{"state":"working"}}}', 'task', 'working'],
  ['{"result":{"contextId":"c","parts":[]}}', 'message', undefined],
])('a result of another version, or of none: %s', async (reply, kind, state) => {
  const { line } = await logged(reply);
  expect(line).toMatchObject({ 'a2a.response.outcome': 'success', 'a2a.result.kind': kind, 'a2a.context.id': 'c' });
  expect(line['a2a.task.state']).toBe(state);
});

test('an error has its code', async () => {
  const { line } = await logged('{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"secret"}}');
  expect(line).toMatchObject({ 'a2a.response.outcome': 'error', 'a2a.response.error_code': -32_001 });
  expect(JSON.stringify(line)).not.toContain('secret');
});

test('an encoded reply is read, and passes encoded', async () => {
  const reply = new Uint8Array(gzipSync('{"result":{"kind":"message"}}'));
  const { line, got } = await logged(reply, {
    headers: { ...JSON_TEXT, 'content-encoding': 'gzip' },
    asked: { ...JSON_TEXT, 'accept-encoding': 'gzip' },
  });
  expect(line).toMatchObject({ 'a2a.response.outcome': 'success', 'a2a.result.kind': 'message' });
  expect(Buffer.from(got).toString()).toBe('{"result":{"kind":"message"}}');
});

test('what is no JSON-RPC is unknown, and passes', async () => {
  const { line, sent, got } = await logged('[1]', { body: 'hello' });
  expect(line).toMatchObject({ 'a2a.method': 'unknown', 'a2a.response.outcome': 'unknown' });
  expect(sent).toBe('hello');
  expect(Buffer.from(got).toString()).toBe('[1]');
});

test('a stream has no outcome', async () => {
  const { line, got } = await logged('data: {"result":{"kind":"task"}}\n\n', {
    headers: { 'content-type': 'text/event-stream' },
  });
  expect(line).toMatchObject({ 'a2a.method': 'message/send' });
  expect(line).not.toHaveProperty('a2a.response.outcome');
  expect(Buffer.from(got).toString()).toContain('"task"');
});

test('nothing beyond the buffer limit is held, and it passes all the same', async () => {
  const padding = 'x'.repeat(2000);
  const reply = `{"result":{"kind":"task","padding":"${padding}"}}`;
  const body = `{"method":"message/send","padding":"${padding}"}`;
  const { line, sent, got } = await logged(reply, { body, frontend: { http: { maxBufferSize: 1024 } } });
  expect(line).toMatchObject({ 'a2a.method': 'unknown', 'a2a.response.outcome': 'unknown' });
  expect(sent).toBe(body);
  expect(Buffer.from(got).toString()).toBe(reply);
});

test('a word that is too long for a field is left out', async () => {
  const { line } = await logged(`{"result":{"kind":"task","contextId":"${'c'.repeat(257)}"}}`, {
    body: `{"method":"${'m'.repeat(257)}"}`,
  });
  expect(line).toMatchObject({ 'a2a.method': 'unknown', 'a2a.result.kind': 'task' });
  expect(line).not.toHaveProperty('a2a.context.id');
});
