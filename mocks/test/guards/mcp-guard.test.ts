import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import * as grpc from '@grpc/grpc-js';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Mock } from '../../mock.ts';
import {
  McpRequestResultSchema,
  McpRequestSchema,
  McpResponseResultSchema,
  McpResponseSchema,
} from '../../wire/gen/ext_mcp_pb.js';
import type { McpRequestResult, McpResponseResult } from '../../wire/gen/ext_mcp_pb.js';
import { start, viewsOf } from '../support/start.ts';
import { wallClock } from '../../wall-clock.ts';

const REQUEST = create(McpRequestSchema, {
  serviceNames: ['a'],
  method: 'tools/call',
  metadataContext: { user: 'u' },
  mcpRequest: Buffer.from('{"name":"echo"}'),
  headers: [
    { key: 'x-a', value: Buffer.from('1') },
    { key: 'x-b', value: Buffer.from('2') },
    { key: 'x-b', value: Buffer.from('3') },
  ],
});
const RESPONSE = create(McpResponseSchema, {
  serviceNames: ['a'],
  method: 'tools/list',
  mcpResponse: Buffer.from('{"tools":[]}'),
});

describe('mcp-guard mock, asked by another gRPC stack', () => {
  test('lets pass by default and writes down what it was asked', async () => {
    const mock = await start({ kind: 'mcp-guard' });
    expect((await askRequest(mock))?.result.case).toBe('pass');
    expect((await askResponse(mock))?.result.case).toBe('pass');
    expect(viewsOf(mock, 'rpc', 'check', 'method', 'serviceNames', 'params', 'result', 'metadata', 'headers')).toEqual([
      {
        rpc: '/proxy.ext_mcp.v1.ExtMcp/CheckRequest',
        check: 'request',
        method: 'tools/call',
        serviceNames: ['a'],
        params: { name: 'echo' },
        result: undefined,
        metadata: { user: 'u' },
        headers: { 'x-a': '1', 'x-b': ['2', '3'] },
      },
      {
        rpc: '/proxy.ext_mcp.v1.ExtMcp/CheckResponse',
        check: 'response',
        method: 'tools/list',
        serviceNames: ['a'],
        params: undefined,
        result: { tools: [] },
        metadata: {},
        headers: undefined,
      },
    ]);
  });

  test('says everything a verdict can say', async () => {
    const mock = await start({
      kind: 'mcp-guard',
      on: [
        { match: { check: 'response', method: 'tools/list' }, reply: { mutated: { tools: [{ name: 'x' }] } } },
        { match: { check: 'response' }, reply: { fail: 'never' } },
      ],
      replies: [
        { raw: '[1', setHeaders: { 'x-c': '4' }, removeHeaders: ['x-a'], metadata: { level: 1 } },
        { reject: {} },
        { reject: { code: 'INVALID', reason: 'no', data: { hint: 1 } } },
        { mute: true },
      ],
    });
    expect(await askRequest(mock)).toMatchObject({
      result: { case: 'mutated', value: Buffer.from('[1') },
      headerMutation: { set: [{ key: 'x-c', value: Buffer.from('4') }], remove: ['x-a'] },
      metadata: { level: 1 },
    });
    expect(await askRequest(mock)).toMatchObject({ result: { case: 'error', value: { code: 1, reason: 'rejected' } } });
    expect(await askRequest(mock)).toMatchObject({
      result: { case: 'error', value: { code: 3, reason: 'no', mcpError: Buffer.from('{"hint":1}') } },
    });
    expect((await askRequest(mock))?.result.case).toBeUndefined();
    expect((await askResponse(mock))?.result).toMatchObject({ value: Buffer.from('{"tools":[{"name":"x"}]}') });
  });

  test.each(['reset', 'reset-stream', 'garbage', 'no-grpc'])('the fault %s', async (fault) => {
    const mock = await start({ kind: 'mcp-guard', reply: { fault } });
    expect(await askRequest(mock)).toBeUndefined();
  });

  test('a call that must not come is a failed check', async () => {
    const mock = await start({ kind: 'mcp-guard', reply: { fail: 'no guard here' } });
    expect(await askRequest(mock)).toBeUndefined();
    expect(mock.ledger.fails).toEqual(['peer up was asked about the request of tools/call: no guard here']);
  });

  test('a script that says two things at once', async () => {
    await expect(start({ kind: 'mcp-guard', reply: { mutated: {}, mute: true } })).rejects.toThrow('only one of');
  });
});

function askRequest(mock: Mock): Promise<McpRequestResult | undefined> {
  return call(mock, 'CheckRequest', toBinary(McpRequestSchema, REQUEST), (bytes) =>
    fromBinary(McpRequestResultSchema, bytes),
  );
}

function askResponse(mock: Mock): Promise<McpResponseResult | undefined> {
  return call(mock, 'CheckResponse', toBinary(McpResponseSchema, RESPONSE), (bytes) =>
    fromBinary(McpResponseResultSchema, bytes),
  );
}

/** A call with @grpc/grpc-js; undefined when it fails. */
function call<Reply>(
  mock: Mock,
  rpc: string,
  message: Uint8Array,
  read: (bytes: Buffer) => Reply,
): Promise<Reply | undefined> {
  const client = new grpc.Client(`${mock.host}:${mock.port}`, grpc.credentials.createInsecure());
  onTestFinished(() => client.close());
  return new Promise((resolve) => {
    const deadline = wallClock() + 5000;
    const path = `/proxy.ext_mcp.v1.ExtMcp/${rpc}`;
    client.makeUnaryRequest(
      path,
      (bytes: Uint8Array) => Buffer.from(bytes),
      read,
      message,
      { deadline },
      (error, reply) => {
        resolve(error === null ? reply : undefined);
      },
    );
  });
}
