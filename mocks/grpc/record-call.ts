import { performance } from 'node:perf_hooks';
import type { LedgerEntry, LedgerWriter } from '../ledger.ts';
import type { GrpcCall } from './serve.ts';

/** The question of a call in the words a case uses, and how many bytes of it count against the mock's total. */
export interface Question<Asked> {
  readonly asked: Asked;
  readonly bytes: number;
  /** What the entry shows when there is no room for all of it. */
  readonly cut: Readonly<Record<string, unknown>>;
}

/** An entry that is still being filled. */
export interface OpenCall<Message, Asked> {
  readonly call: GrpcCall;
  /** Notes the message of the call and says what it asks. */
  readonly receive: (message: Message) => Asked;
}

/** Puts a call with one question on the ledger when it begins; what it asks is there once its message has arrived. */
export function recordCall<Message, Asked extends object>(
  call: GrpcCall,
  ledger: LedgerWriter,
  read: (message: Message) => Question<Asked>,
): OpenCall<Message, Asked> {
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
    Object.assign(state, { settled: true, aborted: call.isAbandoned() });
    ledger.notify();
  });
  return {
    call,
    receive: (message) => {
      const { asked, bytes, cut } = read(message);
      const kept = ledger.grant(bytes) === bytes;
      Object.assign(state, { complete: true, asked: kept ? asked : { ...cut, truncated: true } });
      ledger.notify();
      return asked;
    },
  };
}
