import { createGates } from '../../../mocks/gates.ts';
import type { Gates } from '../../../mocks/gates.ts';
import type { Mock } from '../../../mocks/mock.ts';
import { mockKinds } from '../../../mocks/registry.ts';
import { callPeers, suiteCertificates } from '../../../mocks/tls/suite.ts';
import type { SuiteCertificates } from '../../../mocks/tls/suite.ts';
import { peerKinds } from './peer-schema.ts';
import type { PeerSpec } from './peer-schema.ts';
import { afterFair } from '../sut/time/fair-time.ts';

/** What `${peers.NAME.…}` offers to a case. `socket` only for a peer on a Unix domain socket. */
export interface PeerVariables {
  readonly host: string;
  readonly port: number;
  /** A DNS name that leads to the host; absent where nobody knows one (feature `peers.name`). */
  readonly name?: string;
  /** host:port */
  readonly authority: string;
  readonly url: string;
  readonly socket?: string;
  /** What a kind of peer adds: `issuer`, `jwksPath` and `jwks` of an idp. */
  readonly [more: string]: unknown;
}

/** The running peers of one case. */
export interface Peers {
  /** Throws a RangeError for a name the case does not declare. */
  readonly get: (name: string) => Mock;
  readonly names: readonly string[];
  /** For the scope of interpolation: `{peers: {NAME: {authority, host, port, url, socket?}}, suite}`. */
  readonly variables: () => {
    readonly peers: Readonly<Record<string, PeerVariables>>;
    readonly suite: SuiteCertificates;
  };
  readonly gates: Gates;
  /** A token signed by the peer. Rejects with PeerError when it cannot sign, or not such a token. */
  readonly mint: (name: string, token: unknown) => Promise<string>;
  /** What arrived at a peer so far, in order, as plain data. */
  readonly received: (name: string) => readonly Readonly<Record<string, unknown>>[];
  /** Connections a peer accepted; undefined for a refused port, which cannot see who knocks. */
  readonly attempted: (name: string) => number | undefined;
  /** Reasons of forbidden calls that were made, over all peers; each one is a failed check. */
  readonly fails: () => readonly string[];
  readonly stop: () => Promise<void>;
}

export interface PeerOptions {
  /** Address the mocks listen on and are known by; 127.0.0.1 when absent. */
  readonly host?: string;
  /** DNS name that leads to this address. */
  readonly hostName?: string | undefined;
  /** Gates that outlive one call; own ones are made when absent. */
  readonly gates?: Gates;
}

/** A peer that could not be started; the case is an error, not a failure. */
export class PeerError extends Error {
  readonly peer: string;
  constructor(peer: string, why: string, cause?: unknown) {
    super(`peer ${peer}: ${why}`, { cause });
    this.peer = peer;
  }
}

/**
 * Starts every peer of a case at once. `specs` are interpolated already; a member that is null counts as left out.
 * Rejects with PeerError, with none of them left running, when a script or a port is no good.
 */
export async function startPeers(specs: Readonly<Record<string, PeerSpec>>, options: PeerOptions = {}): Promise<Peers> {
  const gates = options.gates ?? createGates(afterFair);
  const host = options.host ?? '127.0.0.1';
  if (options.hostName !== undefined) callPeers(options.hostName);
  const started = await Promise.allSettled(
    Object.entries(specs).map(async ([name, spec]) => [name, await startPeer(name, spec, { host, gates })] as const),
  );
  const mocks = new Map(started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])));
  const failed = started.find((result) => result.status === 'rejected');
  if (failed !== undefined) {
    await stopAll(mocks, gates);
    throw failed.reason;
  }
  return toPeers(mocks, gates, options.hostName);
}

/** What cases and the scripts of their peers know before any peer runs: certificates of the suite. */
export function suiteVariables(): SuiteCertificates {
  return suiteCertificates();
}

async function startPeer(name: string, spec: PeerSpec, options: { host: string; gates: Gates }): Promise<Mock> {
  const word = String(spec['kind']);
  const kind = Object.hasOwn(mockKinds, word) ? mockKinds[word] : undefined;
  if (kind === undefined) throw new PeerError(name, `unknown kind ${word}; known kinds: ${peerKinds.join(', ')}`);
  try {
    return await kind.start(withoutNulls(spec), { name, ...options });
  } catch (error) {
    throw new PeerError(name, error instanceof Error ? error.message : String(error), error);
  }
}

/** A row of `vary` leaves a member out by giving null. Inside `json` null is a value like any other. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([key, member]) => member !== null || key === 'json');
  return Object.fromEntries(members.map(([key, member]) => [key, key === 'json' ? member : withoutNulls(member)]));
}

function toPeers(mocks: ReadonlyMap<string, Mock>, gates: Gates, hostName: string | undefined): Peers {
  function get(name: string): Mock {
    const mock = mocks.get(name);
    if (mock === undefined) throw new RangeError(`no peer ${name}; this case has: ${[...mocks.keys()].join(', ')}`);
    return mock;
  }
  return {
    get,
    names: [...mocks.keys()],
    variables: () => ({
      peers: Object.fromEntries([...mocks].map(([name, mock]) => [name, variablesOf(mock, hostName)])),
      suite: suiteVariables(),
    }),
    gates,
    mint: (name, token) => mint(name, get(name), token),
    received: (name) => get(name).ledger.entries.map((entry) => entry.view()),
    attempted: (name) => get(name).ledger.attempted,
    fails: () => [...mocks.values()].flatMap((mock) => mock.ledger.fails),
    stop: () => stopAll(mocks, gates),
  };
}

async function mint(name: string, mock: Mock, token: unknown): Promise<string> {
  if (mock.mint === undefined) throw new PeerError(name, `a peer of kind ${mock.kind} signs no tokens`);
  try {
    return await mock.mint(token);
  } catch (error) {
    throw new PeerError(name, error instanceof Error ? error.message : String(error), error);
  }
}

function variablesOf(mock: Mock, hostName: string | undefined): PeerVariables {
  const { host, port, socketPath, tls, variables } = mock;
  const authority = `${host}:${port}`;
  return {
    host,
    port,
    ...(hostName === undefined ? {} : { name: hostName }),
    authority,
    url: `${tls === true ? 'https' : 'http'}://${authority}`,
    ...(socketPath === undefined ? {} : { socket: socketPath }),
    ...variables,
  };
}

async function stopAll(mocks: ReadonlyMap<string, Mock>, gates: Gates): Promise<void> {
  gates.close();
  await Promise.all([...mocks.values()].map((mock) => mock.stop()));
}
