import { performance } from 'node:perf_hooks';
import type { GrpcCall } from '../grpc/serve.ts';
import type { LedgerEntry, LedgerWriter } from '../ledger.ts';
import type { RateLimitRequest } from '../wire/gen/rls_pb.js';

/** What somebody asks, in the words a case uses. */
export interface Asked {
  readonly domain: string;
  readonly descriptors: readonly Descriptor[];
  /** Of the whole request; 0 when it is not set. */
  readonly hitsAddend: number;
}

export interface Descriptor {
  /** In order. */
  readonly entries: readonly { readonly key: string; readonly value: string }[];
  /** null when the descriptor says nothing about it. */
  readonly hitsAddend: number | null;
}

/** An entry that is still being filled. */
export interface OpenCall {
  readonly call: GrpcCall;
  readonly arrived: (request: RateLimitRequest) => Asked;
}

/** Puts a call on the ledger when it begins. */
export function recordCall(call: GrpcCall, ledger: LedgerWriter): OpenCall {
  const state = { complete: false, settled: false, aborted: false, asked: {} };
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
      ...state.asked,
      complete: state.complete,
      aborted: state.aborted,
      connection,
      ...(tls === undefined ? {} : { tls }),
    }),
  };
  ledger.add(entry);
  stream.once('close', () => {
    Object.assign(state, { settled: true, aborted: stream.rstCode !== NO_ERROR });
    ledger.changed();
  });
  return {
    call,
    arrived: (request) => {
      const asked = plain(request);
      const size = JSON.stringify(asked).length;
      Object.assign(state, { complete: true, asked: ledger.grant(size) === size ? asked : { truncated: true } });
      ledger.changed();
      return asked;
    },
  };
}

const NO_ERROR = 0;

function plain({ domain, descriptors, hitsAddend }: RateLimitRequest): Asked {
  return {
    domain,
    descriptors: descriptors.map((descriptor) => ({
      entries: descriptor.entries.map(({ key, value }) => ({ key, value })),
      hitsAddend: descriptor.hitsAddend === undefined ? null : Number(descriptor.hitsAddend),
    })),
    hitsAddend,
  };
}
