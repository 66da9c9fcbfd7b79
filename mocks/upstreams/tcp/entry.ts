import { isUtf8 } from 'node:buffer';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { LedgerEntry, LedgerWriter } from '../../ledger.ts';

/** How a connection ended as the mock saw it. */
export type TcpEnd = 'open' | 'fin' | 'reset' | 'closed';

/** A connection to a TCP mock, with everything that arrived on it. */
export interface TcpEntry extends LedgerEntry {
  readonly body: Buffer;
  readonly truncated: boolean;
  /** `fin`: the client ended its side; `reset`: the connection broke; `closed`: the mock ended it. */
  readonly ended: TcpEnd;
}

/** Puts a connection on the ledger and collects its bytes. */
export function recordConnection(socket: Socket, connection: number, ledger: LedgerWriter): TcpEntry {
  const chunks: Buffer[] = [];
  const state = { truncated: false, ended: 'open' as TcpEnd, settled: false };
  const entry: TcpEntry = {
    connection,
    at: performance.now(),
    get body() {
      return Buffer.concat(chunks);
    },
    get truncated() {
      return state.truncated;
    },
    get ended() {
      return state.ended;
    },
    get complete() {
      return state.ended !== 'open';
    },
    get settled() {
      return state.settled;
    },
    view: () => viewOf(entry),
  };
  socket.on('data', (chunk: Buffer) => {
    const granted = ledger.grant(chunk.length);
    if (granted > 0) chunks.push(chunk.subarray(0, granted));
    if (granted < chunk.length) state.truncated = true;
    ledger.notify();
  });
  socket.once('end', () => {
    state.ended = 'fin';
    ledger.notify();
  });
  socket.once('error', () => {
    state.ended = 'reset';
  });
  socket.once('close', () => {
    if (state.ended === 'open') state.ended = 'closed';
    state.settled = true;
    ledger.notify();
  });
  ledger.add(entry);
  return entry;
}

function viewOf(entry: TcpEntry): Readonly<Record<string, unknown>> {
  const body = entry.body;
  return {
    connection: entry.connection,
    ended: entry.ended,
    bytes: body.length,
    ...(isUtf8(body) ? { body: body.toString() } : { base64: body.toString('base64') }),
    ...(entry.truncated ? { truncated: true } : {}),
  };
}
