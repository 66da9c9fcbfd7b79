import type { JsonObject } from '../values/json.ts';
import { canonical } from './kinds.ts';
import { peerAddress } from './shorthand.ts';

/** Host and port (or socket) of each running peer. */
export type Peers = Readonly<Record<string, JsonObject>>;

/** The port of the Service that stands for a peer. */
export const SERVICE_PORT = 80;

/** A ProxyBackend of the peer's name that leads to it. */
export function peerBackend(peer: string, peers: Peers, namespace: string): JsonObject {
  return canonical('ProxyBackend', { name: peer, namespace }, { spec: { static: peerAddress(peers[peer] ?? {}) } });
}

/**
 * A Service of the peer's name and the EndpointSlice that leads to the peer. The port of the peer stands in the slice alone, so
 * that an implementation has to look there.
 */
export function peerService(peer: string, peers: Peers, namespace: string): readonly JsonObject[] {
  const { host, port } = peers[peer] ?? {};
  const slice = {
    addressType: 'IPv4',
    ports: [{ port }],
    endpoints: [{ addresses: [host] }],
  };
  return [
    canonical('Service', { name: peer, namespace }, { spec: { ports: [{ port: SERVICE_PORT }] } }),
    canonical('EndpointSlice', { name: `${peer}-1`, namespace, labels: { 'kubernetes.io/service-name': peer } }, slice),
  ];
}
