import { isUtf8 } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import type { GrpcCall } from '../grpc/serve.ts';
import type { LedgerEntry, LedgerWriter } from '../ledger.ts';
import type { Arrived } from './arrived.ts';

/** How a stream ended: `done` with the client's side closed in order, `cancelled` by the client, `broken` otherwise. */
export type StreamEnd = 'open' | 'done' | 'cancelled' | 'broken';

/** One stream, which is one request of the proxy under test, with its messages in order. */
export interface StreamEntry extends LedgerEntry {
  readonly rpc: string;
}

/** An entry that is still being filled. */
export interface OpenStream {
  readonly call: GrpcCall;
  readonly receive: (message: Arrived) => void;
}

/** Puts a stream on the ledger when it begins, and notes how it ends. */
export function recordStream(call: GrpcCall, ledger: LedgerWriter): OpenStream {
  const { connection, rpc, headers, stream, tls } = call;
  const messages: Arrived[] = [];
  const state: { complete: boolean; truncated: boolean; end: StreamEnd } = {
    complete: false,
    truncated: false,
    end: 'open',
  };
  const entry: StreamEntry = {
    connection,
    rpc,
    at: performance.now(),
    get complete() {
      return state.complete;
    },
    get settled() {
      return state.end !== 'open';
    },
    view: () => ({
      rpc,
      rpcHeaders: headers,
      ...viewOfMessages(messages),
      complete: state.complete,
      ended: state.end,
      connection,
      ...(tls === undefined ? {} : { tls }),
      ...(state.truncated ? { truncated: true } : {}),
    }),
  };
  ledger.add(entry);
  stream.once('end', () => {
    state.complete = true;
    ledger.notify();
  });
  stream.once('close', () => {
    if (stream.rstCode === CANCEL && call.isAbandoned()) state.end = 'cancelled';
    else state.end = state.complete && stream.rstCode === 0 ? 'done' : 'broken';
    ledger.notify();
  });
  return {
    call,
    receive: (message) => {
      const size = message.body.length + HEAD_SIZE;
      if (ledger.grant(size) === size) messages.push(message);
      else state.truncated = true;
      ledger.notify();
    },
  };
}

/** HTTP/2: the client no longer wants the stream. */
const CANCEL = 8;

/** What a message counts against the mock's total besides its body. */
const HEAD_SIZE = 256;

/** Every message; and what does not depend on how a body was cut: the kinds without repetition, and whole bodies. */
function viewOfMessages(messages: readonly Arrived[]): Readonly<Record<string, unknown>> {
  const kinds = messages.map(({ kind }) => kind);
  return {
    messages: messages.map(({ view }) => view),
    kinds: kinds.filter((kind, index) => kind !== kinds[index - 1]),
    ...whole('request', messages),
    ...whole('response', messages),
  };
}

function whole(direction: 'request' | 'response', messages: readonly Arrived[]): Readonly<Record<string, unknown>> {
  const pieces = messages.filter(({ kind }) => kind === `${direction}Body`);
  if (pieces.length === 0) return {};
  const bytes = Buffer.concat(pieces.map(({ body }) => body));
  return {
    ...(isUtf8(bytes) ? { [`${direction}Body`]: bytes.toString() } : {}),
    [`${direction}Bytes`]: bytes.length,
    [`${direction}Ends`]: pieces.at(-1)?.end ?? false,
  };
}
