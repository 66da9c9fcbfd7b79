import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import { createServer, request as send, type Server as HttpServer } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ProcessingRequestSchema, ProcessingResponseSchema } from '../../../../upstream/wire/ext_proc_pb.js';
import type { ProcessingRequest, ProcessingResponse } from '../../../../upstream/wire/ext_proc_pb.js';
import { get, policy, raw, simpleSetup, startDataPlane, startTcp, startUpstream } from '../../../support/data-plane.ts';
import { type Answer, lettingPass } from './support.ts';

// The processor is made with another gRPC stack than the client of the proxy.

describe('a processor of another make', () => {
  test('sees and passes both messages, on one stream per request', async () => {
    await using processor = await startProcessor(lettingPass);
    await using upstream = await startUpstream((_, response) => response.end('hello'));
    await using plane = await startDataPlane((port) => [
      ...simpleSetup(port, upstream.port),
      ...processed(processor.port),
    ]);
    const answer = await raw(
      plane.port,
      'POST /a HTTP/1.1\r\nHost: example.test\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody',
    );
    expect(answer).toContain('HTTP/1.1 200');
    expect(answer).toContain('hello');
    expect(upstream.received.map(({ url, body }) => [url, body])).toEqual([['/a', 'body']]);
    expect(processor.streams).toHaveLength(1);
    expect(processor.streams[0]?.kinds).toEqual(['requestHeaders', 'requestBody', 'responseHeaders', 'responseBody']);
    expect(await processor.streams[0]?.ended).toBe('done');
  });

  test('gets large bodies of both directions at once without a standstill', async () => {
    await using processor = await startProcessor(lettingPass);
    const echo = await serving(createServer((request, response) => void request.pipe(response)));
    await using plane = await startDataPlane((port) => [...simpleSetup(port, echo), ...processed(processor.port)]);
    const size = 8 * 1024 * 1024;
    const { port } = plane;
    const received = await new Promise<number>((resolve, reject) => {
      const call = send({ port, host: '127.0.0.1', method: 'POST', headers: { host: 'example.test' } }, (answer) => {
        let bytes = 0;
        answer.on('data', (chunk: Buffer) => (bytes += chunk.length));
        answer.on('end', () => resolve(bytes));
      });
      call.on('error', reject);
      call.end(Buffer.alloc(size, 'x'));
    });
    expect(received).toBe(size);
  });

  test('has its stream cancelled when the client goes', async () => {
    await using processor = await startProcessor(function* (): Generator<Answer> {});
    await using upstream = await startUpstream();
    await using plane = await startDataPlane((port) => [
      ...simpleSetup(port, upstream.port),
      ...processed(processor.port),
    ]);
    const call = send({ port: plane.port, host: '127.0.0.1', headers: { host: 'example.test' } });
    call.on('error', () => {}); // cut by ourselves
    call.end();
    await processor.first;
    call.destroy();
    expect(await processor.streams[0]?.ended).toBe('cancelled');
    expect(upstream.received).toEqual([]);
  });

  test('is let go when the client leaves half of its body unsent after an early answer', async () => {
    await using processor = await startProcessor(lettingPass);
    const upstream = await serving(createServer((_, response) => void response.end('early')));
    await using plane = await startDataPlane((port) => [...simpleSetup(port, upstream), ...processed(processor.port)]);
    const answer = await raw(
      plane.port,
      'POST / HTTP/1.1\r\nHost: example.test\r\nContent-Length: 100\r\nConnection: close\r\n\r\nhalf',
    );
    expect(answer).toContain('early');
    expect(await processor.streams[0]?.ended).toBe('done');
  });

  test.each(['FullDuplexStreamed', 'Buffered'])('sees the head of a handshake alone, in mode %s', async (mode) => {
    await using processor = await startProcessor(lettingPass);
    await using upstream = await startTcp((socket) => {
      socket.once('data', () => {
        socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: chat\r\n\r\nwelcome');
      });
    });
    await using plane = await startDataPlane((port) => [
      ...simpleSetup(port, upstream.port),
      ...processed(processor.port, {}, { responseBodyMode: mode }),
    ]);
    const asks = 'GET / HTTP/1.1\r\nHost: example.test\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n';
    expect(await raw(plane.port, asks)).toMatch(/^HTTP\/1\.1 101 [^]*\r\n\r\nwelcome$/);
    expect(processor.streams[0]?.kinds).toEqual(['requestHeaders', 'responseHeaders']);
    expect(await processor.streams[0]?.ended).toBe('done');
  });

  test('is let go when the proxy answers by itself, and when a later response half fails', async () => {
    await using processor = await startProcessor(lettingPass);
    await using upstream = await startUpstream((_, response) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('half');
      response.destroy();
    });
    const transformation = { response: { set: [{ name: 'x-size', value: 'string(response.body.size())' }] } };
    await using plane = await startDataPlane((port) => [
      ...simpleSetup(port, upstream.port),
      ...processed(processor.port, { transformation }),
    ]);
    expect(await get(plane.port)).toMatch(/^HTTP\/1.1 50\d/);
    expect(await processor.streams[0]?.ended).toBe('done');
  });
});

/** The port of a server that is closed when the test ends. */
async function serving(server: HttpServer): Promise<number> {
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

interface Processor extends AsyncDisposable {
  readonly port: number;
  readonly streams: readonly { readonly kinds: readonly string[]; readonly ended: Promise<'done' | 'cancelled'> }[];
  /** Resolves with the first message. */
  readonly first: Promise<void>;
}

async function startProcessor(respond: (message: ProcessingRequest) => Iterable<Answer>): Promise<Processor> {
  const server = new Server();
  const streams: { kinds: string[]; ended: Promise<'done' | 'cancelled'> }[] = [];
  const first = Promise.withResolvers<void>();
  const process = {
    path: '/envoy.service.ext_proc.v3.ExternalProcessor/Process',
    requestStream: true,
    responseStream: true,
    requestSerialize: (message: ProcessingRequest) => Buffer.from(toBinary(ProcessingRequestSchema, message)),
    requestDeserialize: (bytes: Buffer) => fromBinary(ProcessingRequestSchema, bytes),
    responseSerialize: (message: ProcessingResponse) => Buffer.from(toBinary(ProcessingResponseSchema, message)),
    responseDeserialize: (bytes: Buffer) => fromBinary(ProcessingResponseSchema, bytes),
  };
  server.addService(
    { process },
    {
      process: (call: ServerDuplexStream<ProcessingRequest, ProcessingResponse>) => {
        const kinds: string[] = [];
        const ended = Promise.withResolvers<'done' | 'cancelled'>();
        streams.push({ kinds, ended: ended.promise });
        call.on('cancelled', () => ended.resolve('cancelled'));
        let answered = false;
        call.on('end', () => {
          // A cut looks like an end at first; a processor that still owes an answer waits for what it is.
          if (!answered) return;
          call.end();
          ended.resolve('done');
        });
        call.on('data', (message: ProcessingRequest) => {
          const kind = message.request.case ?? 'nothing';
          if (kinds.at(-1) !== kind) kinds.push(kind);
          first.resolve();
          for (const answer of respond(message)) {
            answered = true;
            call.write(create(ProcessingResponseSchema, answer));
          }
        });
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  return {
    port,
    streams,
    first: first.promise,
    [Symbol.asyncDispose]: () => {
      server.forceShutdown();
      return Promise.resolve();
    },
  };
}

/** The processor as a backend, and a policy that asks it. */
function processed(port: number, more: object = {}, processingOptions: object = {}): object[] {
  const backendRef = { group: 'proxy.example', kind: 'ProxyBackend', name: 'processor' };
  return [
    {
      apiVersion: 'proxy.example/v1alpha1',
      kind: 'ProxyBackend',
      metadata: { name: 'processor' },
      spec: { static: { host: '127.0.0.1', port } },
    },
    policy('HTTPRoute', { traffic: { extProc: { backendRef, processingOptions }, ...more } }),
  ];
}
