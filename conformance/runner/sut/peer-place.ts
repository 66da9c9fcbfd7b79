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
/** Of the block for documentation (RFC 5737). */
const NOBODY = '192.0.2.1';

/**
 * The place a manifest names. Without its word loopback, but for an API server that is there already the address of this machine, or of the Pod it is: such a
 * server refuses loopback addresses, and a proxy in a Pod would find itself there. Throws UsageFault when there is no such address and a proxy would
 * have to connect there; where an API server alone is asked nobody connects, and any address will do.
 */
export function peerPlace({ peers, run, file }: Pick<Manifest, 'peers' | 'run' | 'file'>): PeerPlace {
  const address = peers.address ?? addressBeside(run.kind, file);
  return { address, name: peers.name ?? (address === LOOPBACK ? 'localhost' : undefined) };
}

function addressBeside(kind: Manifest['run']['kind'], file: string): string {
  if (kind === 'admission') return ownAddress() ?? NOBODY;
  if (kind !== 'kubernetes') return LOOPBACK;
  const address = ownAddress();
  if (address !== undefined) return address;
  throw new UsageFault(`${file}: peers.address: this machine has no address but loopback; name one for the peers`);
}

function ownAddress(): string | undefined {
  // A Pod that was told its address (by the downward API) may have others beside it.
  const pod = process.env['POD_IP'];
  if (pod !== undefined && pod !== '') return pod;
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
}
