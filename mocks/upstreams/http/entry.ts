import type { IncomingMessage } from 'node:http';
import { isUtf8 } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import type { LedgerEntry, LedgerWriter } from '../../ledger.ts';
import { handshakeOf } from '../../tls/terminate.ts';
import type { Handshake } from '../../tls/terminate.ts';

export type Pair = [name: string, value: string];

/** A request as it arrived at an HTTP mock. */
export interface HttpEntry extends LedgerEntry {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  /** In order and spelling of the wire. */
  readonly headers: readonly Pair[];
  readonly body: Buffer;
  readonly trailers: readonly Pair[];
  /** The client went away before the request or the answer was whole. */
  readonly aborted: boolean;
  /** Bytes of the body were dropped because the mock's total was used up. */
  readonly truncated: boolean;
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
  readonly answered: () => void;
  readonly lost: () => void;
}

/** Puts a request on the ledger at the arrival of its head and collects its body. */
export function recordRequest(request: IncomingMessage, connection: number, ledger: LedgerWriter): OpenEntry {
  const chunks: Buffer[] = [];
  const state = { complete: false, aborted: false, truncated: false, settled: false };
  const headers = toPairs(request.rawHeaders);
  const at = performance.now();
  const handshake = handshakeOf(request.socket);
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
      state.complete = true;
      ledger.changed();
      resolve(true);
    });
    request.once('error', () => resolve(false));
    request.once('close', () => resolve(state.complete));
  });
  ledger.add(entry);

  function settle(aborted: boolean): void {
    if (state.settled) return;
    Object.assign(state, { settled: true, aborted });
    ledger.changed();
  }
  return { entry, arrived, answered: () => settle(false), lost: () => settle(true) };
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

/** Name and value pairs of the flat list node gives. */
export function toPairs(flat: readonly string[]): readonly Pair[] {
  return flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? ''] satisfies Pair] : []));
}

function viewOf(entry: HttpEntry): Readonly<Record<string, unknown>> {
  const [path = '', query] = splitOnce(entry.target, '?');
  const body = entry.body;
  const text = isUtf8(body) ? body.toString() : undefined;
  return {
    method: entry.method,
    path,
    query: collect(new URLSearchParams(query ?? '')),
    target: entry.target,
    version: entry.version,
    headers: lowerCaseView(entry.headers),
    rawHeaders: entry.headers,
    ...(text === undefined ? { base64: body.toString('base64') } : { body: text, ...jsonOf(text) }),
    bytes: body.length,
    trailers: lowerCaseView(entry.trailers),
    complete: entry.complete,
    aborted: entry.aborted,
    connection: entry.connection,
    ...(entry.tls === undefined ? {} : { tls: entry.tls }),
    ...(entry.truncated ? { truncated: true } : {}),
  };
}

/** One value per lower-case name; a list where the name came more than once. */
export function lowerCaseView(pairs: readonly Pair[]): Readonly<Record<string, string | readonly string[]>> {
  return collect(pairs.map(([name, value]) => [name.toLowerCase(), value] satisfies Pair));
}

function collect(pairs: Iterable<Pair>): Readonly<Record<string, string | readonly string[]>> {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) values.set(name, [...(values.get(name) ?? []), value]);
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? (all[0] ?? '') : all]));
}

function splitOnce(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}

function jsonOf(text: string): { readonly json?: unknown } {
  try {
    return { json: JSON.parse(text) as unknown };
  } catch {
    return {}; // most bodies are not JSON; a case that expects `json` then sees none
  }
}
