import { isUtf8 } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import type { GrpcCall } from '../grpc/serve.ts';
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

/** An entry that is still being filled. */
export interface OpenCall {
  readonly call: GrpcCall;
  readonly arrived: (request: CheckRequest) => Checked;
}

/** Puts a call on the ledger when it begins; what it asks is there once its message has arrived. */
export function recordCall(call: GrpcCall, ledger: LedgerWriter): OpenCall {
  const state = { complete: false, settled: false, aborted: false, request: {} };
  const { connection, rpc, headers, tls, stream } = call;
  const entry: LedgerEntry = {
    connection,
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
      ...(tls === undefined ? {} : { tls }),
    }),
  };
  ledger.add(entry);
  stream.once('close', () => {
    Object.assign(state, { settled: true, aborted: stream.rstCode === CANCEL });
    ledger.changed();
  });
  return {
    call,
    arrived: (request) => {
      const checked = plain(request);
      const kept = ledger.grant(checked.bytes) === checked.bytes;
      Object.assign(state, { complete: true, request: kept ? checked : { ...checked, body: '', truncated: true } });
      ledger.changed();
      return checked;
    },
  };
}

/** HTTP/2: the client no longer wants the stream. */
const CANCEL = 8;

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
