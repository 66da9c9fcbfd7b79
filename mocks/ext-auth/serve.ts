import { createServer } from 'node:http2';
import type { Http2ServerRequest, ServerHttp2Stream } from 'node:http2';
import { createServer as createTcpServer } from 'node:net';
import type { Socket } from 'node:net';
import { Code, ConnectError, createContextKey, createContextValues } from '@connectrpc/connect';
import type { HandlerContext } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { createLedger } from '../ledger.ts';
import type { LedgerWriter } from '../ledger.ts';
import { listen, refuse } from '../listen.ts';
import type { Bound } from '../listen.ts';
import type { Mock, MockOptions } from '../mock.ts';
import { DEFAULT_GIVE_UP, durationMs } from '../script.ts';
import { Authorization } from '../wire/gen/ext_authz_pb.js';
import type { CheckRequest, CheckResponse } from '../wire/gen/ext_authz_pb.js';
import { toResponse } from './answer.ts';
import { createChooser } from './choose-reply.ts';
import { recordCall } from './entry.ts';
import type { Checked, OpenCall } from './entry.ts';
import { RPC_CODES } from './script.ts';
import type { ExtAuthScript, Reply } from './script.ts';

/** Starts a scripted authorization server: gRPC over HTTP/2 without TLS. Rejects when its port cannot be bound. */
export async function startExtAuthMock(script: ExtAuthScript, options: MockOptions): Promise<Mock> {
  if (script.fault === 'refuse') return toMock(await refuse(options), createLedger({ countsConnections: false }));
  const ledger = createLedger();
  if (script.fault !== undefined) return startBroken(script.fault, ledger, options);

  const arrivals = new WeakMap<ServerHttp2Stream, Arrival>();
  const sockets = new Map<number, Arrival['connection']>();
  const choose = createChooser(script);
  const adapter = connectNodeAdapter({
    connect: false,
    grpcWeb: false,
    contextValues: (request) =>
      createContextValues().set(ARRIVAL, 'stream' in request ? arrivals.get(request.stream) : undefined),
    routes: (router) =>
      router.service(Authorization, {
        check: (request, context) => check(request, context, { choose, ledger, options }),
      }),
  });

  const server = createServer({}, (request, response) => {
    arrivals.set(request.stream, arrive(request, sockets, ledger));
    adapter(request, response);
  });
  server.on('connection', (socket: Socket) => {
    const { remotePort = 0 } = socket;
    sockets.set(remotePort, { number: ledger.accept(), socket });
    socket.once('close', () => sockets.delete(remotePort));
  });
  // A client that breaks off in the middle of a frame is part of every case.
  server.on('sessionError', () => {});
  return toMock(await listen(server, options), ledger);
}

/** One call on the way: its connection, its stream and its place on the ledger. */
interface Arrival {
  readonly connection: { readonly number: number; readonly socket: Socket };
  readonly stream: ServerHttp2Stream;
  readonly call: OpenCall;
}

const ARRIVAL = createContextKey<Arrival | undefined>(undefined);

function arrive(
  { stream, url, headers }: Http2ServerRequest,
  sockets: ReadonlyMap<number, Arrival['connection']>,
  ledger: LedgerWriter,
): Arrival {
  const connection = sockets.get(stream.session?.socket.remotePort ?? 0);
  if (connection === undefined) throw new Error('a stream without a connection');
  const call = recordCall({ connection: connection.number, rpc: url, headers }, ledger);
  stream.on('error', () => {});
  stream.once('close', () => call.settled(stream.rstCode !== NO_ERROR));
  return { connection, stream, call };
}

interface Serving {
  readonly choose: (checked: Checked) => Reply;
  readonly ledger: LedgerWriter;
  readonly options: MockOptions;
}

async function check(request: CheckRequest, { values }: HandlerContext, serving: Serving): Promise<CheckResponse> {
  const arrival = values.get(ARRIVAL);
  if (arrival === undefined) throw new ConnectError('not over HTTP/2', Code.Internal);
  const checked = arrival.call.arrived(request);
  const reply = serving.choose(checked);
  const { gate, giveUp = DEFAULT_GIVE_UP } = reply;
  if (gate !== undefined) await Promise.race([serving.options.gates.wait(gate, durationMs(giveUp)), gone(arrival)]);
  if (reply.fail !== undefined) throw forbidden(checked, reply.fail, serving);
  if (reply.error !== undefined) {
    throw new ConnectError(reply.message ?? reply.error.toLowerCase(), 1 + RPC_CODES.indexOf(reply.error));
  }
  if (reply.fault !== undefined) await commit(reply.fault, arrival);
  return toResponse(reply);
}

/** A forbidden request is a failed check of the case. */
function forbidden({ method, path }: Checked, reason: string, { ledger, options }: Serving): ConnectError {
  ledger.fail(`peer ${options.name} was asked about ${method} ${path}: ${reason}`);
  return new ConnectError(reason, Code.FailedPrecondition);
}

/** Every fault ends the stream, `hang` when the client does; then nobody is left for an answer. */
async function commit(fault: NonNullable<Reply['fault']>, arrival: Arrival): Promise<never> {
  const { stream, connection, call } = arrival;
  const over = gone(arrival);
  if (fault !== 'hang') call.settled(false);
  if (fault === 'reset') connection.socket.resetAndDestroy();
  if (fault === 'reset-stream') stream.close(INTERNAL_ERROR);
  if (fault === 'garbage') endWith(stream, 200, 'application/grpc+proto', UNREADABLE);
  if (fault === 'no-grpc') endWith(stream, 404, 'text/html', Buffer.from('<p>nothing here</p>'));
  await over;
  throw new ConnectError('the stream is over', Code.Aborted);
}

const NO_ERROR = 0;
const INTERNAL_ERROR = 2;

/** A message of three bytes which claim to begin a field of 127 bytes. */
const UNREADABLE = Buffer.from([0, 0, 0, 0, 3, 0x0a, 0x7f, 0xff]);

function endWith(stream: ServerHttp2Stream, status: number, type: string, body: Buffer): void {
  stream.respond({ ':status': status, 'content-type': type });
  stream.end(body);
}

function gone({ stream }: Arrival): Promise<void> {
  if (stream.destroyed) return Promise.resolve();
  return new Promise((resolve) => stream.once('close', resolve));
}

/** A peer that is no authorization server on any connection. */
async function startBroken(
  fault: Exclude<ExtAuthScript['fault'], 'refuse' | undefined>,
  ledger: LedgerWriter,
  options: MockOptions,
): Promise<Mock> {
  const server = createTcpServer((socket) => {
    ledger.accept();
    if (fault === 'reset') socket.resetAndDestroy();
    if (fault === 'garbage') socket.write(Buffer.from('\x16\x03\x01 this is no HTTP\r\n\0\xff\r\n\r\n', 'latin1'));
    socket.resume();
  });
  return toMock(await listen(server, options), ledger);
}

function toMock({ host, port, close }: Bound, ledger: LedgerWriter): Mock {
  return { kind: 'extauth', host, port, ledger, stop: close };
}
