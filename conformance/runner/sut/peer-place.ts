import { networkInterfaces } from 'node:os';
import type { Manifest } from './manifest.ts';
import { UsageFault } from './session.ts';

/** Where peers listen, and what resources say of it. */
export interface PeerPlace {
  readonly address: string;
  /** A DNS name that leads there; undefined where nobody knows one. */
  readonly name: string | undefined;
}

const LOOPBACK = '127.0.0.1';
const BESIDE_A_SERVER: ReadonlySet<string> = new Set(['kubernetes', 'admission']);

/**
 * The place a manifest names. Without its word loopback, but for an API server that is there already the address of this machine, or of the Pod it is: such a
 * server refuses loopback addresses, and a proxy in a Pod would find itself there. Throws UsageFault when there is no such address.
 */
export function peerPlace({ peers, run, file }: Pick<Manifest, 'peers' | 'run' | 'file'>): PeerPlace {
  const address = peers.address ?? (BESIDE_A_SERVER.has(run.kind) ? ownAddress(file) : LOOPBACK);
  return { address, name: peers.name ?? (address === LOOPBACK ? 'localhost' : undefined) };
}

function ownAddress(file: string): string {
  // A Pod that was told its address (by the downward API) may have others beside it.
  const pod = process.env['POD_IP'];
  if (pod !== undefined && pod !== '') return pod;
  const found = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal);
  if (found !== undefined) return found.address;
  throw new UsageFault(`${file}: peers.address: this machine has no address but loopback; name one for the peers`);
}
