import { constants, createServer as createHttp2Server } from 'node:http2';
import type { Http2ServerRequest, Http2ServerResponse, Http2Session } from 'node:http2';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import type { Gates } from '../../gates.ts';
import { handshakeOf } from '../../tls/terminate.ts';
import { valuesByLowerCaseName } from '../../values-by-name.ts';
import { write, writeLive } from '../../write.ts';
import { toAnswer } from './answer.ts';
import type { Answer } from './answer.ts';
import type { HttpEntry } from './entry.ts';
import type { Reply } from './script.ts';

/** A request that came as a stream, and the connection it came on. */
export interface Streamed {
  readonly request: Http2ServerRequest;
  readonly response: Http2ServerResponse;
  readonly socket: Socket;
}

/**
 * A server in front of `http1`, which gets the connections that speak HTTP/1.1; requests of those that speak HTTP/2 go to `onRequest`. Over
 * TLS the client has chosen by ALPN, otherwise its first bytes tell.
 */
export function acceptBothVersions(http1: Server, onRequest: (streamed: Streamed) => void): Server {
  const http2 = createHttp2Server();
  const carriedBy = new WeakMap<Http2Session, Socket>();
  const toHttp2 = (socket: Socket): void => {
    // The session is announced while the connection is handed over, and knows its connection only through a veil.
    http2.once('session', (session) => {
      session.on('error', ignoreLostPeer);
      carriedBy.set(session, socket);
    });
    http2.emit('connection', socket);
  };
  http2.on('request', (request: Http2ServerRequest, response: Http2ServerResponse) => {
    const { stream } = response;
    const socket = stream.session === undefined ? undefined : carriedBy.get(stream.session);
    if (socket !== undefined) onRequest({ request, response, socket });
  });
  const front = createServer();
  front.on('connection', (socket) => {
    const take = (speaksHttp2: boolean): void => {
      if (speaksHttp2) toHttp2(socket);
      else http1.emit('connection', socket);
    };
    const chosen = handshakeOf(socket)?.alpn ?? undefined;
    if (chosen === undefined) peek(socket, (start) => take(start === 'PRI '));
    else take(chosen === 'h2');
  });
  return front;
}

/** The first four bytes of a connection, which stay to be read. */
function peek(socket: Socket, done: (start: string) => void): void {
  socket.once('readable', () => {
    const first: unknown = socket.read();
    if (!Buffer.isBuffer(first)) {
      socket.destroy();
      return;
    }
    socket.unshift(first);
    done(first.toString('latin1', 0, 4));
  });
}

// A peer that goes away is part of every case; the ledger records what that means for a request.
function ignoreLostPeer(): void {}

/** Everything a reply needs. */
interface Sending {
  readonly reply: Reply;
  readonly entry: HttpEntry;
  readonly peer: string;
  readonly gates: Gates;
}

/** Fields that HTTP/2 has no place for: the end of a body is told by frames. */
const FRAMING = /^(?:transfer-encoding|connection)$/i;

/** Sends the reply. Resolves true when all that was meant to be sent has been handed over; rejects for a fault HTTP/2 does not know. */
export async function replyOnStream(
  response: Http2ServerResponse,
  { reply, entry, peer, gates }: Sending,
): Promise<boolean> {
  const { stream } = response;
  stream.on('error', ignoreLostPeer);
  const closed = new Promise<boolean>((resolve) => stream.once('close', () => resolve(stream.rstCode === 0)));
  if (reply.fault === 'hang') return closed;
  if (reply.fault === 'reset') stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  if (reply.fault === 'reset') return true;
  if (reply.fault !== undefined || reply.raw !== undefined)
    throw new Error('HTTP/2 knows only the faults hang and reset');
  if (stream.destroyed) return false;
  const answer = toAnswer(reply, entry, peer);
  const trailers = Object.entries(valuesByLowerCaseName(answer.trailers));
  response.addTrailers(Object.fromEntries(trailers.map(([name, value]) => [name, [value].flat()])));
  sendHead(response, answer, trailers.length > 0);
  for (const piece of answer.pieces) {
    if (piece.kind === 'bytes') await write(stream, piece.bytes);
    else if (piece.kind === 'gate') await Promise.race([gates.wait(piece.gate, piece.giveUpMs), closed]);
    else if (piece.kind === 'live') await writeLive(stream, piece.texts);
    else stream.destroy(new Error('reset'));
    if (stream.destroyed) return piece.kind === 'reset';
  }
  stream.end();
  return closed;
}

function sendHead({ stream }: Http2ServerResponse, { status, headers }: Answer, waitForTrailers: boolean): void {
  const fields = headers.filter(([name]) => !FRAMING.test(name)).flat();
  // What the script does not say is not sent, so that an exact expectation about headers can hold.
  const options = { waitForTrailers, sendDate: false };
  stream.respond([':status', String(status), ...fields], options);
}
