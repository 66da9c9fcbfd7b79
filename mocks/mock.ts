import type { Gates } from './gates.ts';
import type { Ledger } from './ledger.ts';

/** A running peer of the proxy under test. `port` is 0 when it listens on `socketPath` (a Unix domain socket). */
export interface Mock {
  readonly kind: string;
  readonly host: string;
  readonly port: number;
  readonly socketPath?: string;
  /** It wants TLS. */
  readonly tls?: true;
  readonly ledger: Ledger;
  /** What `${peers.NAME.…}` offers beside the address. */
  readonly variables?: Readonly<Record<string, unknown>>;
  /** Signs a token as described; rejects for a description that does not fit (identity providers). */
  readonly mint?: (token: unknown) => Promise<string>;
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
  const isUrl =
    ['a2a', 'cloud-a', 'cloud-b', 'cloud-c', 'guard', 'http', 'idp', 'llm', 'mcp'].includes(mock.kind) &&
    mock.socketPath === undefined;
  return `${mock.kind} mock at ${isUrl ? `${mock.tls === true ? 'https' : 'http'}://${where}` : where}`;
}
