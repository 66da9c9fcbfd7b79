import { Client, Metadata, Server, ServerCredentials, credentials, status } from '@grpc/grpc-js';
import type { ServerDuplexStream, ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { certificateSecret, hasOpenssl, makeCertificate } from '../support/certificates.ts';
import { policy, simpleSetup, startDataPlane, type DataPlane } from '../support/data-plane.ts';

// Clients and a server of gRPC that nobody here wrote, with the reference between them.

const hasGrpcurl = spawnSync('grpcurl', ['-version']).status === 0;
if (!hasGrpcurl) console.log('the tests with grpcurl are skipped: it is not here');

const same = (bytes: Buffer): Buffer => bytes;
const shape = { requestSerialize: same, requestDeserialize: same, responseSerialize: same, responseDeserialize: same };
const ECHO = {
  one: { path: '/shop.Shop/One', requestStream: false, responseStream: false, ...shape },
  both: { path: '/shop.Shop/Both', requestStream: true, responseStream: true, ...shape },
  fails: { path: '/shop.Shop/Fails', requestStream: false, responseStream: false, ...shape },
};

/** A server that sends back what it gets, with metadata before and behind; `Fails` fails with a status and metadata. */
async function startServer(): Promise<AsyncDisposable & { readonly port: number }> {
  const server = new Server();
  const behind = new Metadata();
  behind.set('x-behind', 'last');
  server.addService(ECHO, {
    one: (call: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>) => {
      const before = new Metadata();
      before.set('x-before', call.metadata.get('x-sent').map(String).join());
      call.sendMetadata(before);
      done(null, call.request, behind);
    },
    both: (call: ServerDuplexStream<Buffer, Buffer>) => {
      call.on('data', (message: Buffer) => call.write(message));
      call.on('end', () => call.end(behind));
    },
    fails: (_call: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>) => {
      done({ code: status.FAILED_PRECONDITION, details: 'not äöü now', metadata: behind });
    },
  });
  const port = await promisify(server.bindAsync.bind(server))('127.0.0.1:0', ServerCredentials.createInsecure());
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      server.forceShutdown();
    },
  };
}

/** A proxy server that carries whatever it is asked to, and counts. */
async function startProxyServer(): Promise<AsyncDisposable & { readonly port: number; readonly asked: string[] }> {
  const asked: string[] = [];
  const ends = new Set<{ readonly destroy: () => unknown }>();
  const server = createServer().on('connect', (request, client) => {
    asked.push(request.url ?? '');
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const far = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      client.pipe(far).pipe(client);
    });
    for (const end of [client, far]) ends.add(end.on('error', () => end.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    asked,
    [Symbol.asyncDispose]: async () => {
      for (const end of ends) end.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What a call with one message comes to. */
function ask(client: Client, path: string, message: string): Promise<Record<string, unknown>> {
  const sent = new Metadata();
  sent.set('x-sent', 'first');
  return new Promise((resolve) => {
    const seen: Record<string, unknown> = {};
    const call = client.makeUnaryRequest(path, same, same, Buffer.from(message), sent, (error, answer) => {
      seen['error'] = error === null ? undefined : [error.code, error.details, error.metadata.get('x-behind')];
      seen['text'] = answer?.toString();
    });
    call.on('metadata', (before: Metadata) => (seen['before'] = before.get('x-before')));
    call.on('status', ({ metadata }: { readonly metadata: Metadata }) => {
      seen['behind'] = metadata.get('x-behind');
      setImmediate(resolve, seen);
    });
  });
}

/** Sends each message when the one before has come back: nothing of it may be held back by anybody in between. */
function converse(client: Client, messages: readonly string[]): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const call = client.makeBidiStreamRequest('/shop.Shop/Both', same, same);
    const back: string[] = [];
    const next = (): void =>
      void (back.length < messages.length ? call.write(Buffer.from(messages[back.length] ?? '')) : call.end());
    call.on('data', (message: Buffer) => {
      back.push(message.toString());
      next();
    });
    call.on('error', reject);
    call.on('end', () => resolve(back));
    next();
  });
}

const WAYS = ['directly', 'through a proxy server', 'over TLS'] as const;

describe.each(WAYS)('@grpc/grpc-js %s', (way) => {
  const disposables: AsyncDisposable[] = [];
  let client: Client;
  let asked: readonly string[] = [];
  let upstream = 0;

  beforeAll(async () => {
    if (way === 'over TLS' && !hasOpenssl) return;
    const server = await startServer();
    const proxy = await startProxyServer();
    const plane = await startDataPlane((port) => configuration(port, server.port, proxy.port));
    upstream = server.port;
    asked = proxy.asked;
    disposables.push(plane, proxy, server);
    const how =
      way === 'over TLS' ? credentials.createSsl(Buffer.from(authority.certificate)) : credentials.createInsecure();
    client = new Client(`${way === 'over TLS' ? 'localhost' : '127.0.0.1'}:${plane.port}`, how);
  });
  afterAll(async () => {
    client?.close();
    for (const one of disposables) await one[Symbol.asyncDispose]();
  });

  const authority = hasOpenssl
    ? makeCertificate('localhost', { names: ['DNS:localhost'] })
    : { certificate: '', key: '' };

  function configuration(port: number, server: number, proxy: number): object[] {
    if (way === 'directly') return simpleSetup(port, server);
    if (way === 'through a proxy server') {
      const [gateway, route, backend] = simpleSetup(port, server);
      const [, , out] = simpleSetup(port, proxy);
      const named = { ...out, metadata: { name: 'out' } };
      const tunnel = { backendRef: { group: 'proxy.example', kind: 'ProxyBackend', name: 'out' } };
      return [gateway ?? {}, route ?? {}, backend ?? {}, named, policy('ProxyBackend', { backend: { tunnel } })];
    }
    const tls = { certificateRefs: [{ name: 'server' }] };
    const listeners = [{ name: 'https', port, protocol: 'HTTPS', tls }];
    return [...simpleSetup(port, server, { gateway: { listeners } }), certificateSecret('server', authority)];
  }

  test.skipIf(way === 'over TLS' && !hasOpenssl)('gets message and metadata of both ends', async () => {
    expect(await ask(client, '/shop.Shop/One', 'hello')).toEqual({
      error: undefined,
      text: 'hello',
      before: ['first'],
      behind: ['last'],
    });
    if (way === 'through a proxy server') expect(asked).toEqual([`127.0.0.1:${upstream}`]);
  });

  test.skipIf(way === 'over TLS' && !hasOpenssl)('gets the status of a call that fails', async () => {
    const { error } = await ask(client, '/shop.Shop/Fails', 'hello');
    expect(error).toEqual([status.FAILED_PRECONDITION, 'not äöü now', ['last']]);
  });

  test.skipIf(way === 'over TLS' && !hasOpenssl)('has a conversation, and large messages', async () => {
    const messages = ['one', 'x'.repeat(300_000), '', 'four'];
    expect(await converse(client, messages)).toEqual(messages);
  });

  test.skipIf(way === 'over TLS' && !hasOpenssl)('is told of a method that nobody has', async () => {
    const { error } = await ask(client, '/shop.Shop/Nobody', 'hello');
    expect(error).toEqual([status.UNIMPLEMENTED, expect.any(String), []]);
  });
});

describe.skipIf(!hasGrpcurl)('grpcurl', () => {
  let server: Awaited<ReturnType<typeof startServer>>;
  let plane: DataPlane;
  const folder = mkdtempSync(join(tmpdir(), 'grpcurl-'));
  beforeAll(async () => {
    server = await startServer();
    plane = await startDataPlane((port) => simpleSetup(port, server.port));
    const methods = [
      'One (Note) returns (Note)',
      'Both (stream Note) returns (stream Note)',
      'Fails (Note) returns (Note)',
    ];
    const service = `service Shop { ${methods.map((method) => `rpc ${method};`).join(' ')} }`;
    writeFileSync(
      join(folder, 'shop.proto'),
      `syntax = "proto3"; package shop; message Note { string text = 1; } ${service}`,
    );
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await plane[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  /** What it writes, both ways, and what it ends with. */
  const call = (method: string, data: string): Promise<{ readonly said: string; readonly failed: boolean }> =>
    new Promise((resolve) => {
      const where = [`127.0.0.1:${plane.port}`, `shop.Shop/${method}`];
      const args = ['-plaintext', '-v', '-import-path', folder, '-proto', 'shop.proto', '-d', data, ...where];
      execFile('grpcurl', args, (error, stdout, stderr) => {
        resolve({ said: stdout + stderr, failed: error !== null });
      });
    });

  test('calls a method, streams, and is told why a call failed', async () => {
    const one = await call('One', '{"text":"hello"}');
    expect(one.failed).toBe(false);
    expect(one.said).toMatch(/"text": "hello"[^]*x-behind: last/);
    const both = await call('Both', '{"text":"a"}{"text":"b"}');
    expect(both.said).toMatch(/"text": "a"[^]*"text": "b"[^]*Sent 2 requests and received 2 responses/);
    expect((await call('Fails', '{}')).said).toMatch(/FailedPrecondition[^]*not äöü now/);
  });
});
