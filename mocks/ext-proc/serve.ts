import { createServer } from 'node:http2';
import type { Http2ServerRequest, ServerHttp2Stream } from 'node:http2';
import { createServer as createTcpServer } from 'node:net';
import type { Socket } from 'node:net';
import { createContextKey, createContextValues } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { createLedger } from '../ledger.ts';
import type { LedgerWriter } from '../ledger.ts';
import { listen, refuse } from '../listen.ts';
import type { Bound } from '../listen.ts';
import type { Mock, MockOptions } from '../mock.ts';
import { ExternalProcessor } from '../wire/gen/ext_proc_pb.js';
import { converse } from './converse.ts';
import type { Line } from './converse.ts';
import { recordStream } from './entry.ts';
import type { ExtProcScript } from './script.ts';

/** Starts a scripted external processor: gRPC over HTTP/2. Rejects when its port cannot be bound. */
export async function startExtProcMock(script: ExtProcScript, options: MockOptions): Promise<Mock> {
  if (script.fault === 'refuse') return toMock(await refuse(options), createLedger({ countsConnections: false }));
  const ledger = createLedger();
  if (script.fault !== undefined) return startBroken(script.fault, ledger, options);

  const lines = new WeakMap<ServerHttp2Stream, Line>();
  const connections = new Map<number, Connection>();
  const adapter = connectNodeAdapter({
    connect: false,
    grpcWeb: false,
    contextValues: (request) =>
      createContextValues().set(LINE, 'stream' in request ? lines.get(request.stream) : undefined),
    routes: (router) =>
      router.service(ExternalProcessor, {
        process: (messages, { values }) => converse(messages, values.get(LINE), script, { ledger, options }),
      }),
  });

  const server = createServer({}, (request, response) => {
    lines.set(request.stream, openLine(request, connections, ledger));
    adapter(request, response);
  });
  const accepted = (socket: Socket): void => {
    const { remotePort = 0 } = socket;
    connections.set(remotePort, { number: ledger.accept(), socket });
    socket.once('close', () => connections.delete(remotePort));
  };
  // A client that breaks off in the middle of a frame is part of every case.
  server.on('sessionError', () => {});
  return toMock(await listen(server, { ...options, tls: script.tls, alpn: ['h2'], accepted }), ledger);
}

interface Connection {
  readonly number: number;
  readonly socket: Socket;
}

const LINE = createContextKey<Line | undefined>(undefined);

/** HTTP/2: the client no longer wants the stream. */
const CANCEL = 8;

function openLine(
  { stream, url, headers }: Http2ServerRequest,
  connections: ReadonlyMap<number, Connection>,
  ledger: LedgerWriter,
): Line {
  const connection = connections.get(stream.session?.socket.remotePort ?? 0);
  if (connection === undefined) throw new Error('a stream without a connection');
  const entry = recordStream({ connection: connection.number, rpc: url, headers }, ledger);
  const state = { complete: false };
  stream.on('error', () => {});
  stream.once('end', () => {
    state.complete = true;
    entry.completed();
  });
  stream.once('close', () => {
    if (stream.rstCode === CANCEL) entry.settled('cancelled');
    else entry.settled(state.complete && stream.rstCode === 0 ? 'done' : 'broken');
  });
  return { stream, socket: connection.socket, entry };
}

/** A peer that is no processor on any connection. */
async function startBroken(
  fault: Exclude<ExtProcScript['fault'], 'refuse' | undefined>,
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

function toMock({ host, port, tls, close }: Bound, ledger: LedgerWriter): Mock {
  return { kind: 'extproc', host, port, ...(tls === undefined ? {} : { tls }), ledger, stop: close };
}
