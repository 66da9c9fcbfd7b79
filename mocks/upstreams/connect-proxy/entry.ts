import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { LedgerEntry, LedgerWriter } from '../../ledger.ts';
import { toPairs, valuesByLowerCaseName } from '../../values-by-name.ts';

/** What a proxy server was asked, while it is being filled. */
export interface OpenEntry {
  /** Notes what the client says inside of the tunnel. */
  readonly carry: (bytes: Buffer) => void;
  /** Settles it; bytes that are carried later still count. */
  readonly settle: () => void;
}

/** A TLS record of a handshake begins with these. */
const HANDSHAKE = Buffer.from([0x16, 0x03]);

/** Puts a request on the ledger at the arrival of its head. */
export function recordAsked(request: IncomingMessage, connection: number, ledger: LedgerWriter): OpenEntry {
  const carried: Buffer[] = [];
  let settled = false;
  const entry: LedgerEntry = {
    connection,
    at: performance.now(),
    complete: true,
    get settled() {
      return settled;
    },
    view: () => viewOf(request, connection, Buffer.concat(carried)),
  };
  ledger.add(entry);
  return {
    carry: (bytes) => {
      carried.push(bytes.subarray(0, ledger.grant(bytes.length)));
      ledger.notify();
    },
    settle: () => {
      settled = true;
      ledger.notify();
    },
  };
}

function viewOf(request: IncomingMessage, connection: number, carried: Buffer): Readonly<Record<string, unknown>> {
  const { method = '', url = '', httpVersion, rawHeaders } = request;
  return {
    method,
    target: url,
    version: httpVersion,
    headers: valuesByLowerCaseName(toPairs(rawHeaders)),
    connection,
    inside: insideOf(carried),
    ...(isUtf8(carried) ? { body: carried.toString() } : { base64: carried.toString('base64') }),
  };
}

function insideOf(carried: Buffer): 'nothing' | 'tls' | 'plain' {
  if (carried.length === 0) return 'nothing';
  return carried.subarray(0, HANDSHAKE.length).equals(HANDSHAKE) ? 'tls' : 'plain';
}
