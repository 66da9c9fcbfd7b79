import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { LedgerEntry, LedgerWriter } from '../../ledger.ts';
import { lowerCaseView, toPairs } from '../http/entry.ts';

/** What is noted of one connection, from its handshake on. */
export interface Session {
  /** Notes a message and tells the type of the event it holds, if it holds one. */
  readonly received: (bytes: Buffer, isBinary: boolean) => string | undefined;
  readonly ponged: (text: string) => void;
  readonly closed: (code: number, reason: string) => void;
  /** There was no connection after all. */
  readonly refused: () => void;
}

/** Puts a connection on the ledger. */
export function recordSession(request: IncomingMessage, connection: number, ledger: LedgerWriter): Session {
  const messages: unknown[] = [];
  const pongs: string[] = [];
  const state: { settled: boolean; closed?: { code: number; reason: string } } = { settled: false };
  const target = request.url ?? '';
  const [path = '', query = ''] = target.split('?', 2);
  const settle = (): void => {
    state.settled = true;
    ledger.changed();
  };
  const entry: LedgerEntry = {
    connection,
    at: performance.now(),
    complete: true,
    get settled() {
      return state.settled;
    },
    view: () => ({
      method: request.method ?? '',
      path,
      query: Object.fromEntries(new URLSearchParams(query)),
      target,
      headers: lowerCaseView(toPairs(request.rawHeaders)),
      messages,
      pongs,
      connection,
      ...(state.closed === undefined ? {} : { closed: state.closed }),
    }),
  };
  ledger.add(entry);
  return {
    received: (bytes, isBinary) => {
      const kept = bytes.subarray(0, ledger.grant(bytes.length));
      const message = isBinary
        ? { base64: kept.toString('base64') }
        : (jsonOf(kept.toString('utf8')) ?? kept.toString('utf8'));
      messages.push(message);
      ledger.changed();
      return typeof message === 'object' && 'type' in message ? String(message.type) : undefined;
    },
    ponged: (text) => {
      pongs.push(text);
      ledger.changed();
    },
    closed: (code, reason) => {
      state.closed = { code, reason };
      settle();
    },
    refused: settle,
  };
}

function jsonOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined; // kept as the text it is
  }
}
