import type { Gates } from './gates.ts';
import type { Ledger } from './ledger.ts';

/** A running peer of the proxy under test. `port` is 0 when it listens on `socketPath` (a Unix domain socket). */
export interface Mock {
  readonly kind: string;
  readonly host: string;
  readonly port: number;
  readonly socketPath?: string;
  readonly ledger: Ledger;
  /** Closes the port and every open connection at once. */
  readonly stop: () => Promise<void>;
}

/** What every mock is started with, whatever its kind. */
export interface MockOptions {
  /** The peer's name in the case; a default answer carries it. */
  readonly name: string;
  readonly host: string;
  /** 0 or absent: a free port. */
  readonly port?: number;
  readonly gates: Gates;
}

/** One line for people: what it is and where. */
export function describeMock(mock: Mock): string {
  const where = mock.socketPath ?? `${mock.host}:${mock.port}`;
  return `${mock.kind} mock at ${mock.kind === 'http' && mock.socketPath === undefined ? `http://${where}` : where}`;
}
