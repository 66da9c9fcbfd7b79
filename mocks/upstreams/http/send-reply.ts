import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Gates } from '../../gates.ts';
import { resetConnection } from '../../listen.ts';
import { giveUpMs, durationMs, toBytes } from '../../script.ts';
import { pause, write, writeLive } from '../../write.ts';
import { toAnswer, toWire } from './answer.ts';
import type { Answer } from './answer.ts';
import type { HttpEntry } from './entry.ts';
import type { Reply, ReplyFault } from './script.ts';

/** Everything a reply needs. `response` is absent where node hands over the bare connection (CONNECT). */
export interface Sending {
  readonly reply: Reply;
  readonly entry: HttpEntry;
  readonly peer: string;
  readonly socket: Socket;
  readonly response?: ServerResponse;
  readonly gates: Gates;
}

/** Sends the reply, or commits its fault. Resolves true when all that was meant to be sent has been handed over. */
export async function sendReply(sending: Sending): Promise<boolean> {
  const { reply, socket, response } = sending;
  if (reply.raw !== undefined) return sendAndEnd(socket, toBytes(reply.raw));
  if (reply.fault === 'hang') return untilClosed(socket);
  const answer = toAnswer(reply, sending.entry, sending.peer);
  if (reply.fault !== undefined) return commit(reply.fault, answer, sending);
  if (response === undefined) return sendAndEnd(socket, toWire(answer));
  return sendAnswer(answer, response, sending);
}

async function sendAnswer(answer: Answer, response: ServerResponse, { gates, socket }: Sending): Promise<boolean> {
  // What the script does not say is not sent, so that an exact expectation about headers can hold.
  response.sendDate = false;
  response.useChunkedEncodingByDefault = false;
  response.writeHead(answer.status, answer.reason, answer.headers.flat());
  const last = answer.pieces.at(-1);
  for (const piece of last?.kind === 'bytes' ? answer.pieces.slice(0, -1) : answer.pieces) {
    if (piece.kind === 'reset') return reset(socket);
    if (piece.kind === 'bytes') await write(response, piece.bytes);
    else if (piece.kind === 'live') {
      response.flushHeaders();
      await writeLive(response, piece.texts);
    } else await waitAt(piece.gate, piece.giveUpMs, response, { gates, socket });
    if (socket.destroyed) return false;
  }
  if (answer.trailers.length > 0)
    response.addTrailers(answer.trailers.map(([name, value]): [string, string] => [name, value]));
  return new Promise((resolve) => {
    response.once('close', () => resolve(response.writableFinished));
    if (last?.kind === 'bytes') response.end(last.bytes);
    else response.end();
  });
}

/** Waits until the gate opens, the wait is given up, or the client is gone. What was written so far is on its way. */
async function waitAt(
  gate: string,
  afterMs: number | undefined,
  response: ServerResponse | undefined,
  { gates, socket }: Pick<Sending, 'gates' | 'socket'>,
): Promise<void> {
  response?.flushHeaders();
  await Promise.race([gates.wait(gate, afterMs), untilClosed(socket)]);
}

/** Every fault ends the connection, `slow` after the whole answer. */
async function commit(fault: Exclude<ReplyFault, 'hang'>, answer: Answer, sending: Sending): Promise<boolean> {
  const { socket } = sending;
  if (fault === 'reset') return reset(socket);
  if (fault === 'half-close') {
    socket.end();
    return untilClosed(socket);
  }
  if (fault === 'garbage')
    return sendAndEnd(socket, Buffer.from('\x16\x03\x01 this is no HTTP\r\n\0\xff\r\n\r\n', 'latin1'));
  if (fault === 'bad-chunk') return sendAndEnd(socket, badChunk(answer));
  const wire = toWire(answer);
  if ('slow' in fault) return sendSlowly(wire, fault.slow, sending);
  if ('end-after' in fault) return sendAndEnd(socket, wire.subarray(0, fault['end-after']));
  await write(socket, wire.subarray(0, fault['reset-after']));
  return reset(socket);
}

type Slow = Extract<ReplyFault, { slow: unknown }>['slow'];

async function sendSlowly(wire: Buffer, slow: Slow, { socket, gates }: Sending): Promise<boolean> {
  for (let sent = 0; sent < wire.length && !socket.destroyed; sent += slow.chunk) {
    if (sent > 0 && slow.gate !== undefined)
      await waitAt(slow.gate, giveUpMs(slow.giveUp), undefined, { socket, gates });
    if (sent > 0) await pause(durationMs(slow.every ?? '0ms'), socket);
    await write(socket, wire.subarray(sent, sent + slow.chunk));
  }
  return sendAndEnd(socket, Buffer.alloc(0));
}

/** The answer in chunked framing, with a chunk size that is no number in the place of the last chunk. */
function badChunk(answer: Answer): Buffer {
  const headers = answer.headers.filter(([name]) => !/^(content-length|transfer-encoding)$/i.test(name));
  const chunked: Answer = {
    ...answer,
    framing: 'chunked',
    trailers: [],
    headers: [...headers, ['transfer-encoding', 'chunked']],
  };
  const wire = toWire(chunked);
  return Buffer.concat([wire.subarray(0, wire.length - '0\r\n\r\n'.length), Buffer.from('zz\r\nbroken\r\n0\r\n\r\n')]);
}

async function sendAndEnd(socket: Socket, bytes: Buffer): Promise<boolean> {
  await write(socket, bytes);
  if (socket.destroyed) return false;
  socket.end();
  return true;
}

function reset(socket: Socket): boolean {
  resetConnection(socket);
  return true;
}

/** False: the answer was never whole, the client had to give up. */
function untilClosed(socket: Socket): Promise<boolean> {
  if (socket.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => socket.once('close', () => resolve(false)));
}
