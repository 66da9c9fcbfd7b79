// A question of a policy and its answer, by four clients of gRPC: node bench/grpc.ts [ROUNDS] [CALLS]. The same messages, the same server in
// a process of its own (plain node:http2, which does next to nothing), 32 calls at a time. Prints calls/s, microseconds of CPU of this
// process per call, and the latter as a multiple of plain node:http2.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect as connectHttp2, constants, createServer } from 'node:http2';
import path from 'node:path';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { Client as GrpcJs, credentials } from '@grpc/grpc-js';
import { systemClock } from '../reference-impl/base/clock.ts';
import { createGrpcClients } from '../reference-impl/upstream/grpc-clients.ts';
import {
  RateLimitRequestSchema,
  RateLimitResponse_Code as Verdict,
  RateLimitResponseSchema,
  RateLimitService,
  type RateLimitResponse,
} from '../reference-impl/upstream/wire/rls_pb.js';

const METHOD = '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit';
const AT_A_TIME = 32;
const [first = '5', second = '5000'] = process.argv.slice(2);

if (first === 'serve') serve();
else await measure(Number(first), Number(second));

interface Contender {
  readonly ask: () => Promise<RateLimitResponse>;
  readonly close: () => void;
}

async function measure(rounds: number, calls: number): Promise<void> {
  const server = spawn('node', [path.join(import.meta.dirname, 'grpc.ts'), 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await once(server.stdout, 'data')) as [Buffer];
  const port = Number(said.toString());
  const contenders: Readonly<Record<string, Contender>> = {
    'node:http2': plain(port),
    'the reference': ofReference(port),
    '@grpc/grpc-js': grpcJs(port),
    '@connectrpc/connect-node': connectNode(port),
  };
  const measured = new Map<string, { readonly rate: number; readonly cpu: number }[]>();
  // The first round of each counts for nothing.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, { ask }] of Object.entries(contenders)) {
      const result = await drive(ask, calls);
      measured.set(name, round === 0 ? [] : [...(measured.get(name) ?? []), result]);
    }
  }
  const least = median(measured.get('node:http2') ?? [], 'cpu');
  for (const [name, results] of measured) {
    const cpu = median(results, 'cpu');
    const columns = [Math.round(median(results, 'rate')), cpu.toFixed(1), (cpu / least).toFixed(2)];
    console.log(`${name.padEnd(26)} ${columns.map((column) => String(column).padStart(9)).join('')}`);
  }
  for (const { close } of Object.values(contenders)) close();
  server.kill();
}

async function drive(ask: Contender['ask'], calls: number): Promise<{ rate: number; cpu: number }> {
  let left = calls;
  const before = process.cpuUsage();
  const began = performance.now();
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      while (left > 0) {
        left -= 1;
        const { overallCode } = await ask();
        if (overallCode !== Verdict.OK) throw new Error('not the answer');
      }
    }),
  );
  const { user, system } = process.cpuUsage(before);
  return { rate: calls / ((performance.now() - began) / 1000), cpu: (user + system) / calls };
}

function question() {
  return create(RateLimitRequestSchema, {
    domain: 'bench',
    descriptors: [{ entries: [{ key: 'path', value: '/counted/x' }] }],
  });
}

function ofReference(port: number): Contender {
  const clients = createGrpcClients(systemClock);
  const dial = { connectTimeout: 5000, keepalive: undefined };
  const client = clients.clientFor(RateLimitService, { kind: 'tcp', host: '127.0.0.1', port }, dial);
  return { ask: () => client.shouldRateLimit(question(), { timeoutMs: 2000 }), close: clients.close };
}

function connectNode(port: number): Contender {
  const client = createClient(RateLimitService, createGrpcTransport({ baseUrl: `http://127.0.0.1:${port}` }));
  // It closes its connection when that is idle; the process ends before.
  return { ask: () => client.shouldRateLimit(question(), { timeoutMs: 2000 }), close: () => {} };
}

function grpcJs(port: number): Contender {
  const client = new GrpcJs(`127.0.0.1:${port}`, credentials.createInsecure());
  const ask = (): Promise<RateLimitResponse> =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        METHOD,
        (message: ReturnType<typeof question>) => Buffer.from(toBinary(RateLimitRequestSchema, message)),
        (bytes) => fromBinary(RateLimitResponseSchema, bytes),
        question(),
        { deadline: systemClock.wall() + 2000 },
        (error, answer) => {
          if (answer === undefined) reject(error ?? new Error('no answer'));
          else resolve(answer);
        },
      );
    });
  return { ask, close: () => client.close() };
}

/** No status is read, nothing is timed or given up: what no client can be below. */
function plain(port: number): Contender {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  const head = { ':method': 'POST', ':path': METHOD, te: 'trailers', 'content-type': 'application/grpc+proto' };
  const ask = (): Promise<RateLimitResponse> =>
    new Promise((resolve, reject) => {
      const stream = session.request(head);
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', reject);
      stream.on('end', () => resolve(fromBinary(RateLimitResponseSchema, Buffer.concat(chunks).subarray(5))));
      stream.end(framed(toBinary(RateLimitRequestSchema, question())));
    });
  return { ask, close: () => session.close() };
}

function serve(): void {
  const message = create(RateLimitResponseSchema, { overallCode: Verdict.OK });
  const answer = framed(toBinary(RateLimitResponseSchema, message));
  const server = createServer({ settings: { maxConcurrentStreams: 1000 } });
  server.on('stream', (stream) => {
    stream.on('error', () => stream.close(constants.NGHTTP2_CANCEL));
    stream.resume().on('end', () => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc+proto' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end(answer);
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    console.log(typeof address === 'object' ? address?.port : address);
  });
}

function framed(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

function median<Key extends 'rate' | 'cpu'>(results: readonly Readonly<Record<Key, number>>[], key: Key): number {
  const sorted = results.map((result) => result[key]).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
