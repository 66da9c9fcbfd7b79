import { isUtf8 } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import type { LedgerEntry, LedgerWriter } from '../ledger.ts';
import type { AttributeContext_Peer, CheckRequest } from '../wire/gen/ext_authz_pb.js';

/** The request somebody asks about, as plain data. */
export interface Checked {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** As they came; names are lower case by the protocol. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A call as it arrived. Members of the checked request are there once its message has arrived. */
export interface CallEntry extends LedgerEntry {
  readonly rpc: string;
}

/** An entry that is still being filled. */
export interface OpenCall {
  readonly arrived: (request: CheckRequest) => Checked;
  readonly settled: (aborted: boolean) => void;
}

/** What came with the call itself. */
export interface Call {
  readonly connection: number;
  readonly rpc: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** Puts a call on the ledger when it begins. */
export function recordCall({ connection, rpc, headers }: Call, ledger: LedgerWriter): OpenCall {
  const state = { complete: false, settled: false, aborted: false, request: {} };
  const entry: CallEntry = {
    connection,
    rpc,
    at: performance.now(),
    get complete() {
      return state.complete;
    },
    get settled() {
      return state.settled;
    },
    view: () => ({
      rpc,
      rpcHeaders: headers,
      ...state.request,
      complete: state.complete,
      aborted: state.aborted,
      connection,
    }),
  };
  ledger.add(entry);
  return {
    arrived: (request) => {
      const checked = plain(request);
      const kept = ledger.grant(checked.bytes) === checked.bytes;
      Object.assign(state, { complete: true, request: kept ? checked : { ...checked, body: '', truncated: true } });
      ledger.changed();
      return checked;
    },
    settled: (aborted) => {
      if (state.settled) return;
      Object.assign(state, { settled: true, aborted });
      ledger.changed();
    },
  };
}

/** A CheckRequest in the words a case uses. The text fields of the protocol are shown also where they are empty. */
function plain({ attributes }: CheckRequest): Checked & Readonly<Record<string, unknown>> & { readonly bytes: number } {
  const http = attributes?.request?.http;
  const body = http === undefined || http.body.length > 0 ? Buffer.from(http?.body ?? '') : Buffer.from(http.rawBody);
  return {
    id: http?.id ?? '',
    method: http?.method ?? '',
    path: http?.path ?? '',
    host: http?.host ?? '',
    scheme: http?.scheme ?? '',
    query: http?.query ?? '',
    fragment: http?.fragment ?? '',
    protocol: http?.protocol ?? '',
    size: Number(http?.size ?? 0n),
    headers: http?.headers ?? {},
    ...(isUtf8(body) ? { body: body.toString() } : { base64: body.toString('base64') }),
    bytes: body.length,
    ...(attributes?.request?.time === undefined ? {} : { time: Number(attributes.request.time.seconds) }),
    contextExtensions: attributes?.contextExtensions ?? {},
    metadata: attributes?.metadataContext?.filterMetadata ?? {},
    ...peer('source', attributes?.source),
    ...peer('destination', attributes?.destination),
    ...(attributes?.tlsSession === undefined ? {} : { sni: attributes.tlsSession.sni }),
  };
}

function peer(name: string, side: AttributeContext_Peer | undefined): Readonly<Record<string, unknown>> {
  if (side === undefined) return {};
  const { address } = side.address ?? {};
  const socket = address?.case === 'socketAddress' ? address.value : undefined;
  const port = socket?.portSpecifier.case === 'portValue' ? socket.portSpecifier.value : undefined;
  return { [name]: { address: socket?.address ?? '', port: port ?? 0, principal: side.principal } };
}
