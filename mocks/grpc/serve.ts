import { createServer } from 'node:http2';
import type { Http2ServerRequest, Http2ServerResponse, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { createServer as createTcpServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { createContextKey, createContextValues } from '@connectrpc/connect';
import type { ConnectRouter, HandlerContext } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import type { LedgerWriter } from '../ledger.ts';
import { listen, resetConnection } from '../listen.ts';
import type { Bound, Where } from '../listen.ts';
import { handshakeOf } from '../tls/terminate.ts';
import type { Handshake } from '../tls/terminate.ts';

/** A call as it begins: its message has not arrived yet. */
export interface GrpcCall {
  /** Number of the connection, counted from 1 per mock. */
  readonly connection: number;
  readonly rpc: string;
  readonly headers: IncomingHttpHeaders;
  readonly tls: Handshake | undefined;
  readonly stream: ServerHttp2Stream;
  /** Ends the whole connection with a TCP reset. */
  readonly reset: () => void;
  /** Ends the stream with an error; the connection stays. */
  readonly resetStream: () => void;
  /** Resolves when the stream is over, whoever ended it. */
  readonly over: () => Promise<void>;
  /** True of a stream that is over when it was the client who broke it off. */
  readonly isAbandoned: () => boolean;
}

export interface GrpcServing<Call> {
  /** Called once per stream; what it returns is what `callOf` gives to the handlers. */
  readonly open: (call: GrpcCall) => Call;
  readonly routes: (router: ConnectRouter, callOf: (context: HandlerContext) => Call) => void;
  /** Takes requests over HTTP/2 that are no gRPC; they are refused when absent. */
  readonly otherwise?: (request: Http2ServerRequest, response: Http2ServerResponse, call: GrpcCall) => void;
  /** Makes the server for connections that speak HTTP/1; without it there is only HTTP/2. */
  readonly http1?: (connectionOf: (socket: Socket) => number) => Server;
  /** Called when the mock has stopped. */
  readonly onStop?: () => void;
}

/** A gRPC server over HTTP/2, with or without TLS. Rejects when its port cannot be bound. */
export async function serveGrpc<Call>(
  { open, routes, otherwise, http1 }: GrpcServing<Call>,
  where: Where,
  ledger: LedgerWriter,
): Promise<Bound> {
  const connections = new Map<number, Connection>();
  const calls = new WeakMap<ServerHttp2Stream, Call>();
  const key = createContextKey<ServerHttp2Stream | undefined>(undefined);
  const callOf = ({ values }: HandlerContext): Call => {
    const stream = values.get(key);
    const call = stream && calls.get(stream);
    if (call === undefined) throw new Error('a call without a stream');
    return call;
  };
  const adapter = connectNodeAdapter({
    connect: false,
    grpcWeb: false,
    contextValues: (request) => createContextValues().set(key, 'stream' in request ? request.stream : undefined),
    routes: (router) => routes(router, callOf),
  });
  const server = createServer({}, (request, response) => {
    const { stream, url, headers } = request;
    const call = begin(stream, url, headers, connections);
    if (call === undefined) return;
    if (otherwise !== undefined && headers['content-type']?.startsWith('application/grpc') !== true) {
      otherwise(request, response, call);
      return;
    }
    calls.set(stream, open(call));
    adapter(request, response);
  });
  const onAccept = (socket: Socket): void => {
    const { remotePort = 0 } = socket;
    connections.set(remotePort, { number: ledger.accept(), socket, broken: false });
    socket.once('close', () => connections.delete(remotePort));
  };
  // With TLS these are the connections inside; the handshake is over by now.
  server.on('connection', (socket: Socket) => {
    const connection = connections.get(socket.remotePort ?? 0);
    if (connection !== undefined) connection.socket = socket;
  });
  // A client that breaks off in the middle of a frame is part of every case.
  server.on('sessionError', () => {});
  if (http1 === undefined) return listen(server, { ...where, alpn: ['h2'], onAccept });
  const older = http1(({ remotePort = 0 }) => connections.get(remotePort)?.number ?? 0);
  return listen(byVersion(server, older), { ...where, alpn: ['h2', 'http/1.1'], onAccept });
}

/** Gives each connection to the server of the version of HTTP that its first bytes speak. */
function byVersion(http2: Server, http1: Server): Server {
  return createTcpServer((socket) => {
    socket.once('readable', () => {
      const first: unknown = socket.read();
      if (!Buffer.isBuffer(first)) return;
      socket.unshift(first);
      const server = first.subarray(0, 3).toString('latin1') === 'PRI' ? http2 : http1;
      server.emit('connection', socket);
    });
  });
}

/** A server that is no gRPC server, on every connection: it resets, says nothing, or says what is no HTTP/2. */
export function serveBroken(fault: 'reset' | 'hang' | 'garbage', where: Where, ledger: LedgerWriter): Promise<Bound> {
  const server = createTcpServer((socket) => {
    ledger.accept();
    if (fault === 'reset') resetConnection(socket);
    if (fault === 'garbage') socket.write(GARBAGE);
    socket.resume();
  });
  return listen(server, { ...where, alpn: ['h2'] });
}

const GARBAGE = Buffer.from('\x16\x03\x01 this is no HTTP\r\n\0\xff\r\n\r\n', 'latin1');

interface Connection {
  readonly number: number;
  socket: Socket;
  /** By this side, and with it every stream on it. */
  broken: boolean;
}

const NO_ERROR = 0;
const INTERNAL_ERROR = 2;

function begin(
  stream: ServerHttp2Stream,
  rpc: string,
  headers: IncomingHttpHeaders,
  connections: ReadonlyMap<number, Connection>,
): GrpcCall | undefined {
  stream.on('error', () => {});
  // A connection may be gone before its last stream is told of: nobody waits for an answer there.
  const connection = connections.get(stream.session?.socket.remotePort ?? 0);
  if (connection === undefined) {
    stream.close(INTERNAL_ERROR);
    return undefined;
  }
  let broken = false;
  return {
    connection: connection.number,
    rpc,
    headers,
    tls: handshakeOf(connection.socket),
    stream,
    reset: () => {
      connection.broken = true;
      resetConnection(connection.socket);
    },
    resetStream: () => {
      broken = true;
      stream.close(INTERNAL_ERROR);
    },
    over: () => (stream.destroyed ? Promise.resolve() : new Promise((resolve) => stream.once('close', resolve))),
    isAbandoned: () => stream.rstCode !== NO_ERROR && !broken && !connection.broken,
  };
}
