import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import type { Socket } from 'node:net';
import { isUtf8 } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import type { LedgerEntry, LedgerWriter } from '../../ledger.ts';
import { parseJson } from '../../json.ts';
import { pathOf, queryOf } from '../../target.ts';
import { handshakeOf, transportOf } from '../../tls/terminate.ts';
import { keepaliveTimerOfClient } from './keepalive-timer.ts';
import type { Handshake } from '../../tls/terminate.ts';
import { toPairs, valuesByLowerCaseName, valuesByName } from '../../values-by-name.ts';
import type { Pair } from '../../values-by-name.ts';

/** A request as it arrived at an HTTP mock. */
export interface HttpEntry extends LedgerEntry {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  /** In order and spelling of the wire. */
  readonly headers: readonly Pair[];
  readonly body: Buffer;
  readonly trailers: readonly Pair[];
  /** The client went away before the request or the answer was whole (`aborted` in mocks/README.md). */
  readonly aborted: boolean;
  /** Bytes of the body were dropped because the mock's total was used up. */
  readonly truncated: boolean;
  /** `:authority` and `:scheme` of a request that came over HTTP/2. */
  readonly pseudo?: { readonly authority: string; readonly scheme: string };
  /** The timer of the client at this moment. */
  readonly keepalive?: () => number | null | undefined;
  /** Set when it came over TLS. */
  readonly tls?: Handshake;
  /** What the parser said about bytes that are no HTTP request. */
  readonly malformed?: string;
}

/** An entry that is still being filled. */
export interface OpenEntry {
  readonly entry: HttpEntry;
  /** Resolves true when the request is complete, false when the connection went away first. */
  readonly arrived: Promise<boolean>;
  /** Settles it: answered as the script wants it, or the client went away first. */
  readonly settle: (how: 'answered' | 'lost') => void;
}

/** What a request came on. */
export interface Carrier {
  readonly socket: Socket;
  readonly connection: number;
  /** Whether the timer of the client is looked up: when the request is there, when it is answered, and whenever somebody looks at the entry. */
  readonly showKeepalive: boolean;
}

/** Puts a request on the ledger at the arrival of its head and collects its body. */
export function recordRequest(
  request: IncomingMessage | Http2ServerRequest,
  { socket, connection, showKeepalive }: Carrier,
  ledger: LedgerWriter,
): OpenEntry {
  const chunks: Buffer[] = [];
  const state = { complete: false, aborted: false, truncated: false, settled: false };
  const pairs = toPairs(request.rawHeaders);
  const headers = withHost(
    pairs.filter(([name]) => !name.startsWith(':')),
    request,
  );
  const at = performance.now();
  const handshake = handshakeOf(socket);
  ledger.grant(headers.reduce((sum, [name, value]) => sum + name.length + value.length, request.url?.length ?? 0));

  const entry: HttpEntry = {
    connection,
    at,
    method: request.method ?? '',
    target: request.url ?? '',
    version: request.httpVersion,
    headers,
    get body() {
      return Buffer.concat(chunks);
    },
    get trailers() {
      return toPairs(request.rawTrailers);
    },
    get complete() {
      return state.complete;
    },
    get aborted() {
      return state.aborted;
    },
    get truncated() {
      return state.truncated;
    },
    get settled() {
      return state.settled;
    },
    ...(showKeepalive ? { keepalive: timerSeen(transportOf(socket)) } : {}),
    ...('stream' in request ? { pseudo: { authority: request.authority, scheme: request.scheme } } : {}),
    ...(handshake === undefined ? {} : { tls: handshake }),
    view: () => viewOf(entry),
  };
  const arrived = new Promise<boolean>((resolve) => {
    request.on('data', (chunk: Buffer) => {
      const granted = ledger.grant(chunk.length);
      if (granted > 0) chunks.push(chunk.subarray(0, granted));
      if (granted < chunk.length) state.truncated = true;
    });
    request.once('end', () => {
      // A stream of HTTP/2 ends for its reader also where it was reset.
      state.complete = !('stream' in request && request.stream.aborted);
      entry.keepalive?.();
      ledger.notify();
      resolve(state.complete);
    });
    request.once('error', () => resolve(false));
    request.once('close', () => resolve(state.complete));
  });
  ledger.add(entry);

  const settle: OpenEntry['settle'] = (how) => {
    if (state.settled) return;
    entry.keepalive?.();
    Object.assign(state, { settled: true, aborted: how === 'lost' });
    ledger.notify();
  };
  return { entry, arrived, settle };
}

/** The timer of the client whenever somebody looks; of a connection that is gone what was seen of it while it was there. */
function timerSeen(socket: Socket): () => number | null | undefined {
  let seen: number | null | undefined;
  return () => {
    const now = keepaliveTimerOfClient(socket);
    if (typeof now === 'number' || seen === undefined) seen = now;
    return seen;
  };
}

/** Puts bytes that are no HTTP request on the ledger, so that an exact expectation sees them. */
export function recordMalformed(bytes: Buffer, reason: string, connection: number, ledger: LedgerWriter): void {
  const body = bytes.subarray(0, ledger.grant(bytes.length));
  const entry: HttpEntry = {
    connection,
    at: performance.now(),
    method: '',
    target: '',
    version: '',
    headers: [],
    body,
    trailers: [],
    complete: false,
    aborted: false,
    truncated: body.length < bytes.length,
    settled: true,
    malformed: reason,
    view: () => ({ ...viewOf(entry), malformed: reason }),
  };
  ledger.add(entry);
}

/** Who is asked, which HTTP/2 says in `:authority`, stands in the ledger as it does in HTTP/1.1. */
function withHost(pairs: readonly Pair[], request: IncomingMessage | Http2ServerRequest): readonly Pair[] {
  if (!('stream' in request) || pairs.some(([name]) => name === 'host')) return pairs;
  // Its type promises one, but a client may leave it out.
  const { ':authority': authority } = request.headers;
  return authority === undefined ? pairs : [['host', authority], ...pairs];
}

function viewOf(entry: HttpEntry): Readonly<Record<string, unknown>> {
  const body = entry.body;
  const text = isUtf8(body) ? body.toString() : undefined;
  const json = text === undefined ? undefined : parseJson(text);
  return {
    method: entry.method,
    path: pathOf(entry.target),
    query: valuesByName(new URLSearchParams(queryOf(entry.target))),
    target: entry.target,
    version: entry.version,
    headers: valuesByLowerCaseName(entry.headers),
    rawHeaders: entry.headers,
    ...(text === undefined ? { base64: body.toString('base64') } : { body: text }),
    ...(json === undefined ? {} : { json }),
    bytes: body.length,
    trailers: valuesByLowerCaseName(entry.trailers),
    complete: entry.complete,
    aborted: entry.aborted,
    connection: entry.connection,
    ...entry.pseudo,
    ...(entry.keepalive === undefined ? {} : { keepalive: entry.keepalive() }),
    ...(entry.tls === undefined ? {} : { tls: entry.tls }),
    ...(entry.truncated ? { truncated: true } : {}),
  };
}
