import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { create, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { createGrpcClients } from '../../upstream/grpc-clients.ts';
import { ExternalProcessor } from '../../upstream/wire/ext_proc_pb.js';
import {
  RateLimitResponse_Code as Verdict,
  RateLimitResponseSchema,
  RateLimitService,
} from '../../upstream/wire/rls_pb.js';

const answer = toBinary(RateLimitResponseSchema, create(RateLimitResponseSchema, { overallCode: Verdict.OK }));
const HEAD = { ':status': 200, 'content-type': 'application/grpc' };

const DIAL = { connectTimeout: 5000, keepalive: undefined };
const clients = createGrpcClients(systemClock);
let server: Http2Server | undefined;

afterEach(() => {
  clients.close();
  server?.close();
});

/** A client of a server that does with every stream what is said. */
async function clientOf(behave: (stream: ServerHttp2Stream) => void): Promise<ReturnType<typeof limits>> {
  server = createServer()
    .on('stream', (stream) => {
      stream.on('error', () => {});
      behave(stream);
    })
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  return limits(portOf(server));
}

function portOf(listening: Http2Server | undefined): number {
  const address = listening?.address() ?? null;
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

function limits(port: number) {
  return clients.clientFor(RateLimitService, { kind: 'tcp', host: '127.0.0.1', port }, DIAL);
}

function framed(message: Uint8Array, flag = 0, length = message.length): Buffer {
  const prefix = Buffer.from([flag, 0, 0, 0, 0]);
  prefix.writeUInt32BE(length, 1);
  return Buffer.concat([prefix, message]);
}

/** Answers with these bytes and trailers. */
function saying(bytes: Buffer, trailers: Record<string, string> = { 'grpc-status': '0' }) {
  return (stream: ServerHttp2Stream): void => {
    stream.respond(HEAD, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    stream.end(bytes);
  };
}

async function failureOf(call: Promise<unknown>): Promise<{ code: string | undefined; text: string }> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ConnectError)) throw new Error(`expected a failure, got ${String(error)}`);
  return { code: Code[error.code], text: error.rawMessage };
}

test('a message that comes byte by byte is one message', async () => {
  const client = await clientOf((stream) => {
    stream.respond(HEAD, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    for (const byte of framed(answer)) stream.write(Buffer.from([byte]));
    stream.end();
  });
  await expect(client.shouldRateLimit({ domain: 'd' })).resolves.toMatchObject({ overallCode: Verdict.OK });
});

test('the server is told the path, the type, and how long the client waits', async () => {
  let told: Readonly<Record<string, unknown>> = {};
  const client = await clientOf((stream) => saying(framed(answer))(stream));
  server?.on('stream', (_stream, fields) => (told = fields));
  await client.shouldRateLimit({}, { timeoutMs: 1500 });
  expect(told).toMatchObject({
    ':method': 'POST',
    ':path': '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit',
    'content-type': 'application/grpc+proto',
    te: 'trailers',
    'grpc-timeout': '1500m',
  });
  // A number of nine digits would be refused.
  await client.shouldRateLimit({}, { timeoutMs: 200_000_000 });
  expect(told).toMatchObject({ 'grpc-timeout': '99999999m' });
});

test.each([
  ['a status in the trailers', saying(framed(answer), { 'grpc-status': '14', 'grpc-message': 'come%20later' })],
  [
    'a status in the head',
    (stream: ServerHttp2Stream) => {
      stream.respond({ ...HEAD, 'grpc-status': '14', 'grpc-message': 'come%20later' }, { endStream: true });
    },
  ],
])('%s is the failure of the call', async (_, behave) => {
  const client = await clientOf(behave);
  expect(await failureOf(client.shouldRateLimit({}))).toEqual({ code: 'Unavailable', text: 'come later' });
});

test.each([
  ['no status', saying(framed(answer), {}), 'Internal', 'no grpc-status'],
  ['a status nobody knows', saying(framed(answer), { 'grpc-status': '99' }), 'Internal', 'grpc-status 99'],
  [
    'a message that cannot be decoded',
    saying(framed(answer), { 'grpc-status': '2', 'grpc-message': '%' }),
    'Unknown',
    '%',
  ],
  ['no message', saying(Buffer.alloc(0)), 'Unimplemented', 'the server sent no message'],
  [
    'two messages',
    saying(Buffer.concat([framed(answer), framed(answer)])),
    'Unimplemented',
    'the server sent more than one message',
  ],
  ['half a message', saying(framed(answer, 0, 100)), 'InvalidArgument', 'the stream ended inside a message'],
  ['a compressed message', saying(framed(answer, 1)), 'Internal', 'a compressed message, which nobody asked for'],
  [
    'a message that is too long',
    saying(framed(answer, 0, 4 * 1024 * 1024 + 1)),
    'ResourceExhausted',
    'a message of 4194305 bytes, more than 4194304',
  ],
  [
    'an answer that is no gRPC',
    (stream: ServerHttp2Stream) => stream.respond({ ':status': 200, 'content-type': 'text/html' }, { endStream: true }),
    'Unknown',
    'unsupported content type text/html',
  ],
  [
    'a proxy in the way',
    (stream: ServerHttp2Stream) => stream.respond({ ':status': 503 }, { endStream: true }),
    'Unavailable',
    'HTTP 503',
  ],
  [
    'a stream that is reset',
    (stream: ServerHttp2Stream) => stream.close(7),
    'Unavailable',
    'Stream closed with error code NGHTTP2_REFUSED_STREAM',
  ],
] as const)('%s', async (_, behave, code, text) => {
  const client = await clientOf(behave);
  expect(await failureOf(client.shouldRateLimit({}))).toEqual({ code, text });
});

test('a server that says nothing is given up in time, and learns of it', async () => {
  const streams: ServerHttp2Stream[] = [];
  const client = await clientOf((stream) => {
    if (streams.push(stream) === 1) saying(framed(answer))(stream);
  });
  // The connection is there before the time begins: opening it may take longer than the silence that is waited for.
  await client.shouldRateLimit({});
  const failure = await failureOf(client.shouldRateLimit({}, { timeoutMs: 20 }));
  expect(failure).toEqual({ code: 'DeadlineExceeded', text: 'no answer within 20 ms' });
  await expect.poll(() => streams[1]?.rstCode, { timeout: 5000 }).toBe(8);
});

test('a client that goes ends the call, also one that waits for its connection', async () => {
  const controller = new AbortController();
  const client = await clientOf(() => {
    controller.abort(new Error('gone'));
  });
  expect((await failureOf(client.shouldRateLimit({}, { signal: controller.signal }))).code).toBe('Canceled');
  expect((await failureOf(client.shouldRateLimit({}, { signal: controller.signal }))).code).toBe('Canceled');
  const waiting = new AbortController();
  const call = failureOf(limits(9).shouldRateLimit({}, { signal: waiting.signal }));
  waiting.abort(new Error('gone'));
  expect((await call).code).toBe('Canceled');
});

test('a server that is not there is unavailable', async () => {
  await clientOf(() => {});
  const port = portOf(server);
  server?.close();
  expect((await failureOf(limits(port).shouldRateLimit({}))).code).toBe('Unavailable');
});

test('a stream that the server ends is over for both, whatever we still had to say', async () => {
  let left: Promise<unknown> = Promise.resolve();
  await clientOf((stream) => {
    left = once(stream, 'close');
    saying(Buffer.alloc(0))(stream);
  });
  const port = portOf(server);
  const client = clients.clientFor(ExternalProcessor, { kind: 'tcp', host: '127.0.0.1', port }, DIAL);
  const answers: unknown[] = [];
  for await (const message of client.process(nothingYet())) answers.push(message);
  expect(answers).toEqual([]);
  await left;
});

async function* nothingYet(): AsyncGenerator<Record<string, never>> {
  await new Promise(() => {});
  yield {};
}
