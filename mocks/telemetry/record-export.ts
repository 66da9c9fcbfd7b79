import { performance } from 'node:perf_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import type { LedgerWriter } from '../ledger.ts';
import type { Handshake } from '../tls/terminate.ts';
import type { Export } from './choose-reply.ts';
import type { RecordView } from './records.ts';

/** How one export came. */
export interface Arrival {
  readonly connection: number;
  /** Path of the request; of a gRPC call the name of service and method. */
  readonly path: string;
  /** Of HTTP. */
  readonly version: string;
  readonly headers: IncomingHttpHeaders;
  readonly tls: Handshake | undefined;
}

/** Puts exports on the ledger, numbered from 1: an entry per record, and one for an export that has none. */
export function createRecorder(
  ledger: LedgerWriter,
): (how: Partial<Export>, arrival: Arrival, records: readonly RecordView[], more?: RecordView) => () => void {
  let exports = 0;
  return ({ signal = null, protocol }, arrival, records, more) => {
    exports += 1;
    const number = exports;
    const { connection, path, version, headers, tls } = arrival;
    const state = { settled: false };
    const frame = {
      signal,
      protocol,
      path,
      version,
      headers,
      export: number,
      connection,
      ...(tls === undefined ? {} : { tls }),
    };
    for (const record of records.length === 0 ? [{ empty: true }] : records) {
      const bytes = JSON.stringify(record).length;
      const kept = ledger.grant(bytes) === bytes;
      const view = { ...frame, ...(kept ? record : { truncated: true }), ...more };
      ledger.add({
        connection,
        at: performance.now(),
        complete: true,
        get settled() {
          return state.settled;
        },
        view: () => view,
      });
    }
    return () => {
      state.settled = true;
      ledger.notify();
    };
  };
}
