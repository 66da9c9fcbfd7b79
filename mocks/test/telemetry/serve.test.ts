import { gzipSync } from 'node:zlib';
import { create, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { describe, expect, test } from 'vitest';
import { createGates } from '../../gates.ts';
import type { Mock } from '../../mock.ts';
import { ExportLogsServiceRequestSchema, LogsService } from '../../wire/gen/otlp_logs_pb.js';
import { start, viewsOf } from '../support/start.ts';

const request = create(ExportLogsServiceRequestSchema, {
  resourceLogs: [{ scopeLogs: [{ logRecords: [{ severityText: 'one' }, { severityText: 'two' }] }] }],
});
const bytes = Buffer.from(toBinary(ExportLogsServiceRequestSchema, request));
const PROTOBUF = { 'content-type': 'application/x-protobuf' };

function post(
  mock: Mock,
  path: string,
  body: Buffer = bytes,
  headers: Record<string, string> = PROTOBUF,
): Promise<Response> {
  return fetch(`http://${mock.host}:${mock.port}${path}`, { method: 'POST', body: new Uint8Array(body), headers });
}

function call(mock: Mock): Promise<unknown> {
  const transport = createGrpcTransport({ baseUrl: `http://${mock.host}:${mock.port}`, idleConnectionTimeoutMs: 1 });
  return createClient(LogsService, transport).export(request, { timeoutMs: 2000 });
}

async function codeOf(calling: Promise<unknown>): Promise<Code> {
  return calling.then(
    () => expect.fail('the call was answered'),
    (error: unknown) => ConnectError.from(error).code,
  );
}

describe('a collector', () => {
  test('makes an entry of every record, and numbers the exports', async () => {
    const mock = await start({ kind: 'otlp' });
    expect((await post(mock, '/v1/logs')).status).toBe(200);
    await call(mock);
    expect(viewsOf(mock, 'protocol', 'export', 'severityText')).toEqual([
      { protocol: 'http', export: 1, severityText: 'one' },
      { protocol: 'http', export: 1, severityText: 'two' },
      { protocol: 'grpc', export: 2, severityText: 'one' },
      { protocol: 'grpc', export: 2, severityText: 'two' },
    ]);
  });

  test('reads gzip', async () => {
    const mock = await start({ kind: 'otlp' });
    const answer = await post(mock, '/v1/logs', gzipSync(bytes), { ...PROTOBUF, 'content-encoding': 'gzip' });
    expect(answer.status).toBe(200);
    expect(mock.ledger.entries).toHaveLength(2);
  });

  test.each([
    ['another path', '/v1/other', bytes, PROTOBUF, 404],
    ['a path of its own that is not used', '/v1/traces', bytes, PROTOBUF, 404],
    ['another form', '/v1/logs', bytes, { 'content-type': 'text/plain' }, 415],
    ['bytes that are no message', '/v1/logs', Buffer.from([0x0a, 0x7f, 1]), PROTOBUF, 400],
    ['text that is no JSON', '/v1/logs', Buffer.from('{'), { 'content-type': 'application/json' }, 400],
    ['a coding nobody knows', '/v1/logs', bytes, { ...PROTOBUF, 'content-encoding': 'zstd' }, 400],
  ])('refuses %s, and lists that', async (_, path, body, headers, status) => {
    const mock = await start({ kind: 'otlp', paths: { traces: '/elsewhere' } });
    expect((await post(mock, path, body, headers)).status).toBe(status);
    expect(viewsOf(mock, 'signal', 'path', 'empty')).toEqual([{ signal: null, path, empty: true }]);
  });

  test('refuses GET', async () => {
    const mock = await start({ kind: 'otlp' });
    expect((await fetch(`http://${mock.host}:${mock.port}/v1/logs`)).status).toBe(405);
  });

  test('has other paths', async () => {
    const mock = await start({ kind: 'otlp', paths: { logs: '/here' } });
    expect((await post(mock, '/here')).status).toBe(200);
    expect((await post(mock, '/v1/logs')).status).toBe(404);
  });

  test('answers by lane, with what the script says', async () => {
    const mock = await start({
      kind: 'otlp',
      on: [{ match: { signal: 'logs', protocol: 'grpc' }, reply: { error: 'UNAVAILABLE' } }],
      replies: [{ rejected: 2 }, { error: 'RESOURCE_EXHAUSTED' }, { fault: 'garbage' }, { fault: 'no-grpc' }],
    });
    expect(await codeOf(call(mock))).toBe(Code.Unavailable);
    const first = await post(mock, '/v1/logs', Buffer.from('{}'), { 'content-type': 'application/json' });
    expect(await first.json()).toEqual({ partialSuccess: { rejectedLogRecords: '2', errorMessage: 'rejected' } });
    expect((await post(mock, '/v1/logs')).status).toBe(429);
    expect(Buffer.from(await (await post(mock, '/v1/logs')).arrayBuffer())).toEqual(Buffer.from([0x0a, 0x7f, 0xff]));
    expect((await post(mock, '/v1/logs')).status).toBe(404);
  });

  test('waits at gates', async () => {
    const gates = createGates();
    const mock = await start({ kind: 'otlp', reply: { gate: 'go' } }, gates);
    const answered = post(mock, '/v1/logs');
    await mock.ledger.until(({ entries }) => entries.length === 2, 2000);
    expect(mock.ledger.active).toBe(2);
    gates.open('go');
    expect((await answered).status).toBe(200);
    expect(await mock.ledger.until(({ active }) => active === 0, 2000)).toBe(true);
  });

  test('resets, over both protocols', async () => {
    const mock = await start({ kind: 'otlp', reply: { fault: 'reset' } });
    await expect(post(mock, '/v1/logs')).rejects.toThrow('fetch failed');
    expect(await codeOf(call(mock))).not.toBe(Code.DeadlineExceeded);
    expect(mock.ledger.entries).toHaveLength(4);
  });

  test('hangs', async () => {
    const mock = await start({ kind: 'otlp', reply: { fault: 'hang' } });
    const stop = new AbortController();
    const asking = fetch(`http://${mock.host}:${mock.port}/v1/logs`, {
      method: 'POST',
      body: new Uint8Array(bytes),
      headers: PROTOBUF,
      signal: stop.signal,
    });
    await mock.ledger.until(({ entries }) => entries.length === 2, 2000);
    expect(mock.ledger.active).toBe(2);
    stop.abort();
    await expect(asking).rejects.toThrow('aborted');
  });

  test.each(['refuse', 'reset', 'garbage'])('fails every connection: %s', async (fault) => {
    const mock = await start({ kind: 'otlp', fault });
    await expect(post(mock, '/v1/logs')).rejects.toThrow('fetch failed');
    expect(mock.ledger.entries).toEqual([]);
  });

  test('reports what may not come', async () => {
    const mock = await start({ kind: 'otlp', reply: { fail: 'nothing is exported here' } });
    expect((await post(mock, '/v1/logs')).status).toBe(400);
    expect(mock.ledger.fails).toEqual(['peer up was sent logs: nothing is exported here']);
  });
});
