import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createLedger } from '../../ledger.ts';
import type { LedgerWriter } from '../../ledger.ts';
import { listen, refuse, resetConnection } from '../../listen.ts';
import type { Bound } from '../../listen.ts';
import type { Mock, MockOptions } from '../../mock.ts';
import { transportOf } from '../../tls/terminate.ts';
import { createChooser } from './choose-reply.ts';
import type { Carrier, HttpEntry } from './entry.ts';
import { recordMalformed, recordRequest } from './entry.ts';
import { acceptBothVersions, replyOnStream } from './http2.ts';
import type { Streamed } from './http2.ts';
import type { HttpScript, Reply } from './script.ts';
import { sendReply } from './send-reply.ts';

interface Serving {
  readonly ledger: LedgerWriter;
  readonly options: MockOptions;
  readonly choose: Choose;
  readonly connectionOf: (socket: Socket) => number;
  readonly carrierOf: (socket: Socket) => Carrier;
}

/** The reply to a request whose head has come; `arrived` is true when its body has come too. */
export type Choose = (entry: HttpEntry, arrived: Promise<boolean>) => Reply | Promise<Reply>;

/** Starts an HTTP server that replies as `choose` says, the script when absent. Rejects when its port cannot be bound. */
export async function startHttpMock(
  script: HttpScript,
  options: MockOptions,
  choose: Choose = createChooser(script),
): Promise<Mock> {
  if (script.fault === 'refuse') return toMock(await refuse(options), createLedger({ countsConnections: false }));
  const ledger = createLedger();
  const server = createServer(SERVER_OPTIONS);
  // As many fields as a proxy lets pass: what a case says is too many is for the proxy to refuse.
  server.maxHeadersCount = 0;
  const connectionOf = numberConnections(ledger);
  const showKeepalive = script.showKeepalive === true;
  const carrierOf = (socket: Socket): Carrier => ({ socket, connection: connectionOf(socket), showKeepalive });
  const serving: Serving = { ledger, options, choose, connectionOf, carrierOf };
  server.on('connection', (socket) => {
    serving.connectionOf(socket);
    socket.setMaxListeners(0); // pipelined requests wait on one connection, as many as the client sends
    if (script.fault === 'reset') resetConnection(socket);
  });
  const onRequest = (request: IncomingMessage, response: ServerResponse): void =>
    guard(serving, request.socket, exchange(serving, request, request.socket, response));
  server.on('request', onRequest);
  server.on('checkExpectation', onRequest);
  server.on('connect', (request, socket) => guard(serving, socket, exchange(serving, request, socket)));
  server.on('clientError', (error: ParserError, socket) => refuseBytes(serving, error, socket));
  const where = { ...options, unix: script.unix ?? false, tls: script.tls, onAccept: connectionOf };
  if (script.http2 !== true) return toMock(await listen(server, where), ledger);
  const both = acceptBothVersions(server, (streamed) =>
    guard(serving, streamed.response.stream, exchangeOnStream(serving, streamed)),
  );
  return toMock(await listen(both, { ...where, alpn: ['h2', 'http/1.1'] }), ledger);
}

/** No timeout of the mock's own may end an exchange: only the script and the proxy under test do. */
const SERVER_OPTIONS = {
  keepAliveTimeout: 0,
  headersTimeout: 0,
  requestTimeout: 0,
  requireHostHeader: false,
  maxHeaderSize: 256 * 1024,
};

interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

function toMock({ close, ...address }: Bound, ledger: LedgerWriter): Mock {
  return { kind: 'http', ...address, ledger, stop: close };
}

function numberConnections(ledger: LedgerWriter): (socket: Socket) => number {
  const numbers = new WeakMap<Socket, number>();
  return (socket) => {
    const transport = transportOf(socket);
    const number = numbers.get(transport) ?? ledger.accept();
    numbers.set(transport, number);
    return number;
  };
}

/** A defect of the mock is a failed check that says so; it never ends the process that runs all other cases. */
function guard({ ledger, options }: Serving, connection: Duplex, running: Promise<void>): void {
  running.catch((error: unknown) => {
    ledger.fail(`peer ${options.name} broke: ${error instanceof Error ? error.message : String(error)}`);
    connection.destroy();
  });
}

async function exchange(
  serving: Serving,
  request: IncomingMessage,
  connection: Duplex,
  response?: ServerResponse,
): Promise<void> {
  const socket = asSocket(connection);
  const { ledger, options } = serving;
  const open = recordRequest(request, serving.carrierOf(socket), ledger);
  const reply = reportForbidden(await serving.choose(open.entry, open.arrived), open.entry, serving);
  if (reply.open !== undefined) options.gates.open(reply.open);
  const whole = reply.early === true || (await open.arrived);
  const sending = { reply, entry: open.entry, peer: options.name, socket, gates: options.gates };
  const sent = whole && (await sendReply(response === undefined ? sending : { ...sending, response }));
  open.settle(sent ? 'answered' : 'lost');
}

async function exchangeOnStream(serving: Serving, { request, response, socket }: Streamed): Promise<void> {
  const { ledger, options } = serving;
  const open = recordRequest(request, serving.carrierOf(socket), ledger);
  const reply = reportForbidden(await serving.choose(open.entry, open.arrived), open.entry, serving);
  if (reply.open !== undefined) options.gates.open(reply.open);
  const whole = reply.early === true || (await open.arrived);
  const sent =
    whole && (await replyOnStream(response, { reply, entry: open.entry, peer: options.name, gates: options.gates }));
  open.settle(sent ? 'answered' : 'lost');
}

/** A `fail` reply is a failed check of the case; the proxy gets a 500 that says so. */
function reportForbidden(reply: Reply, entry: HttpEntry, { ledger, options }: Serving): Reply {
  if (reply.fail === undefined) return reply;
  ledger.fail(`peer ${options.name} received ${entry.method} ${entry.target}: ${reply.fail}`);
  return { status: 500, body: `peer ${options.name}: ${reply.fail}` };
}

function refuseBytes({ ledger, connectionOf }: Serving, error: ParserError, connection: Duplex): void {
  const socket = asSocket(connection);
  if (
    error.code?.startsWith('HPE_') === true &&
    error.rawPacket !== undefined &&
    error.code !== 'HPE_INVALID_EOF_STATE'
  ) {
    recordMalformed(error.rawPacket, error.message, connectionOf(socket), ledger);
  }
  if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
  else socket.destroy();
}

// node types these connections as streams for users who bring their own; this server is only ever given sockets.
function asSocket(connection: Duplex): Socket {
  if (connection instanceof Socket) return connection;
  throw new TypeError('the connection is no socket');
}
