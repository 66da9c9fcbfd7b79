import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { parseJson } from '../../json.ts';
import type { LedgerEntry, LedgerWriter } from '../../ledger.ts';
import { pathOf, queryOf } from '../../target.ts';
import { toPairs, valuesByLowerCaseName } from '../../values-by-name.ts';

/** What is noted of one connection, from its handshake on. */
export interface Session {
  /** Notes a message and tells the type of the event it holds, if it holds one. */
  readonly receive: (bytes: Buffer, isBinary: boolean) => string | undefined;
  readonly notePong: (text: string) => void;
  readonly close: (code: number, reason: string) => void;
  /** Nothing more comes: the connection is over, or there was none after all. */
  readonly settle: () => void;
}

/** Puts a connection on the ledger. */
export function recordSession(request: IncomingMessage, connection: number, ledger: LedgerWriter): Session {
  const messages: unknown[] = [];
  const pongs: string[] = [];
  const state: { settled: boolean; closed?: { code: number; reason: string } } = { settled: false };
  const target = request.url ?? '';
  const settle = (): void => {
    state.settled = true;
    ledger.notify();
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
      path: pathOf(target),
      query: Object.fromEntries(new URLSearchParams(queryOf(target))),
      target,
      headers: valuesByLowerCaseName(toPairs(request.rawHeaders)),
      messages,
      pongs,
      connection,
      ...(state.closed === undefined ? {} : { closed: state.closed }),
    }),
  };
  ledger.add(entry);
  return {
    receive: (bytes, isBinary) => {
      const kept = bytes.subarray(0, ledger.grant(bytes.length));
      const message = isBinary ? { base64: kept.toString('base64') } : eventOrText(kept.toString('utf8'));
      messages.push(message);
      ledger.notify();
      return typeof message === 'object' && 'type' in message ? String(message.type) : undefined;
    },
    notePong: (text) => {
      pongs.push(text);
      ledger.notify();
    },
    close: (code, reason) => {
      state.closed = { code, reason };
      settle();
    },
    settle,
  };
}

/** Events are shown as what they say, every other message as its text. */
function eventOrText(text: string): object | string {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null ? value : text;
}
