import { create } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import * as grpc from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import { createGates } from '../../gates.ts';
import { Authorization, CheckRequestSchema, CheckResponseSchema } from '../../wire/gen/ext_authz_pb.js';
import { talk } from '../support/raw-client.ts';
import { viewsOf, start } from '../support/start.ts';
import { checkClient, checkServer } from './support.ts';

const QUESTION = create(CheckRequestSchema, {
  attributes: {
    request: {
      http: { method: 'POST', path: '/a?x=1', host: 'h', headers: { 'x-user': 'u' }, rawBody: Buffer.from('{"a":1}') },
    },
    contextExtensions: { team: 'blue' },
    metadataContext: { filterMetadata: { ns: { user: 'u', level: 3 } } },
    source: {
      address: {
        address: {
          case: 'socketAddress',
          value: { address: '10.0.0.1', portSpecifier: { case: 'portValue', value: 99 } },
        },
      },
    },
  },
});

describe('ext-auth mock, asked by another gRPC stack', () => {
  test('allows by default and writes down what it was asked', async () => {
    const mock = await start({ kind: 'extauth' });
    const { response } = await checkClient(mock).check(QUESTION);
    expect(response?.status?.code).toBe(0);
    expect(mock.ledger.attempted).toBe(1);
    expect(await mock.ledger.until(({ active }) => active === 0, 5000)).toBe(true);
    expect(viewsOf(mock, 'rpc', 'method', 'path', 'host', 'headers', 'body', 'contextExtensions')).toEqual([
      {
        rpc: '/envoy.service.auth.v3.Authorization/Check',
        method: 'POST',
        path: '/a?x=1',
        host: 'h',
        headers: { 'x-user': 'u' },
        body: '{"a":1}',
        contextExtensions: { team: 'blue' },
      },
    ]);
    expect(viewsOf(mock, 'metadata', 'source', 'complete', 'aborted')).toEqual([
      {
        metadata: { ns: { user: 'u', level: 3 } },
        source: { address: '10.0.0.1', port: 99, principal: '' },
        complete: true,
        aborted: false,
      },
    ]);
  });

  test('says everything an allowing answer can say', async () => {
    const mock = await start({
      kind: 'extauth',
      reply: {
        allow: {
          headers: {
            'x-a': ['1', { value: '2', append: true }],
            'x-b': { value: '3', action: 'add-if-absent', raw: true },
          },
          remove: ['x-c'],
          responseHeaders: { 'x-d': '4' },
          setQuery: { q: '5' },
          removeQuery: ['r'],
        },
        metadata: { user: 'u', n: 1 },
      },
    });
    const { response } = await checkClient(mock).check(QUESTION);
    expect(response).toMatchObject({
      httpResponse: {
        case: 'okResponse',
        value: {
          headers: [
            { header: { key: 'x-a', value: '1' }, appendAction: 0 },
            { header: { key: 'x-a', value: '2' }, append: true },
            { header: { key: 'x-b', value: '' }, appendAction: 1 },
          ],
          headersToRemove: ['x-c'],
          responseHeadersToAdd: [{ header: { key: 'x-d', value: '4' } }],
          queryParametersToSet: [{ key: 'q', value: '5' }],
          queryParametersToRemove: ['r'],
        },
      },
      dynamicMetadata: { user: 'u', n: 1 },
    });
  });

  test('denies with and without an answer for the client, and by lane', async () => {
    const mock = await start({
      kind: 'extauth',
      on: [
        { match: { path: '/a' }, replies: [{ deny: { status: 401, body: 'no' } }, { deny: {}, bare: true, code: 16 }] },
      ],
    });
    const client = checkClient(mock);
    expect((await client.check(QUESTION)).response).toMatchObject({
      status: { code: 7 },
      httpResponse: { case: 'deniedResponse', value: { status: { code: 401 }, body: 'no' } },
    });
    const bare = (await client.check(QUESTION)).response;
    expect(bare?.status?.code).toBe(16);
    expect(bare?.httpResponse.case).toBeUndefined();
  });

  test.each([
    [{ error: 'UNAVAILABLE' }, grpc.status.UNAVAILABLE],
    [{ error: 'UNAUTHENTICATED' }, grpc.status.UNAUTHENTICATED],
    [{ fault: 'reset' }, grpc.status.UNAVAILABLE],
    [{ fault: 'reset-stream' }, grpc.status.INTERNAL],
    [{ fault: 'garbage' }, grpc.status.INTERNAL],
    [{ fault: 'no-grpc' }, grpc.status.UNIMPLEMENTED],
  ])('%j fails the call and the next one is answered', async (reply, code) => {
    const mock = await start({ kind: 'extauth', replies: [reply, {}] });
    const client = checkClient(mock);
    expect((await client.check(QUESTION)).code).toBe(code);
    expect((await client.check(QUESTION)).response?.status?.code).toBe(0);
    expect(viewsOf(mock, 'complete')).toEqual([{ complete: true }, { complete: true }]);
  });

  test('a gate holds the answer, and hang is over when the client gives up', async () => {
    const gates = createGates();
    const mock = await start({ kind: 'extauth', replies: [{ gate: 'go', giveUp: '60s' }, { fault: 'hang' }] }, gates);
    const client = checkClient(mock);
    const held = client.check(QUESTION);
    await mock.ledger.until(({ entries }) => entries[0]?.complete === true, 5000);
    expect(mock.ledger.active).toBe(1);
    gates.open('go');
    expect((await held).response?.status?.code).toBe(0);
    expect((await client.check(QUESTION, 100)).code).toBe(grpc.status.DEADLINE_EXCEEDED);
    expect(await mock.ledger.until(({ active }) => active === 0, 5000)).toBe(true);
    expect(viewsOf(mock, 'aborted')).toEqual([{ aborted: false }, { aborted: true }]);
  });

  test.each(['reset', 'reset-stream', 'garbage', 'no-grpc'] as const)(
    'a fault of the mock, %s, is not the client giving up',
    async (fault) => {
      const mock = await start({ kind: 'extauth', reply: { fault } });
      await checkClient(mock).check(QUESTION);
      expect(await mock.ledger.until(({ active }) => active === 0, 5000)).toBe(true);
      expect(viewsOf(mock, 'complete', 'aborted')).toEqual([{ complete: true, aborted: false }]);
    },
  );

  test('over TLS, with a certificate of the suite', async () => {
    const mock = await start({ kind: 'extauth', tls: true, reply: { deny: {} } });
    expect((await checkClient(mock).check(QUESTION)).response?.status?.code).toBe(7);
    expect(viewsOf(mock, 'path', 'tls')).toMatchObject([{ path: '/a?x=1', tls: { alpn: 'h2' } }]);
    const untrusted = await start({ kind: 'extauth', tls: { fault: 'untrusted-ca' } });
    expect((await checkClient(untrusted).check(QUESTION)).code).toBe(grpc.status.UNAVAILABLE);
  });

  test('a forbidden question is a failed check', async () => {
    const mock = await start({ kind: 'extauth', reply: { fail: 'nobody asks' } });
    await checkClient(mock).check(QUESTION);
    expect(mock.ledger.fails).toEqual(['peer up was asked about POST /a?x=1: nobody asks']);
  });
});

describe('ext-auth mock, faults of a whole peer', () => {
  test.each(['reset', 'garbage'] as const)('%s', async (fault) => {
    const mock = await start({ kind: 'extauth', fault });
    expect((await checkClient(mock).check(QUESTION, 300)).code).toBeGreaterThan(0);
    expect(mock.ledger.attempted).toBeGreaterThan(0);
    expect(mock.ledger.entries).toEqual([]);
  });

  test('refuse', async () => {
    const mock = await start({ kind: 'extauth', fault: 'refuse' });
    expect((await talk(mock, 'x')).ended).toBe('refused');
  });

  test('hang: connections are taken and nothing is ever said', async () => {
    const mock = await start({ kind: 'extauth', fault: 'hang' });
    expect((await checkClient(mock).check(QUESTION, 100)).code).toBe(grpc.status.DEADLINE_EXCEEDED);
    expect(mock.ledger.attempted).toBeGreaterThan(0);
  });
});

test('the stack the proxy uses understands a server of another stack', async () => {
  const port = await checkServer(({ attributes }) =>
    create(CheckResponseSchema, {
      status: { code: attributes?.request?.http?.path === '/a?x=1' ? 0 : 7 },
      dynamicMetadata: { user: 'u' },
    }),
  );
  const client = createClient(Authorization, createGrpcTransport({ baseUrl: `http://127.0.0.1:${port}` }));
  expect(await client.check(QUESTION)).toMatchObject({ status: { code: 0 }, dynamicMetadata: { user: 'u' } });
});
