import { createAuthority, issue } from './certificate.ts';
import type { Authority, Identity, Wish } from './certificate.ts';
import type { TlsScript } from './script.ts';
import { suiteSigningKeys } from '../signing-keys.ts';
import type { SuiteSigningKeys } from '../signing-keys.ts';

/** What cases can write into Secrets and ConfigMaps, all PEM: `${suite.ca}`, `${suite.client.certificate}`, … */
export interface SuiteCertificates {
  /** Signed the certificates of all peers without a fault. */
  readonly ca: string;
  /** Signed that of a peer with the fault `untrusted-ca`. */
  readonly otherCa: string;
  /** A client certificate of the suite CA, and one of the other. */
  readonly client: Identity;
  readonly otherClient: Identity;
  /** What the implementation may show: one, another, and one with an RSA key. */
  readonly server: Identity;
  readonly otherServer: Identity;
  readonly rsaServer: Identity;
  /** The same of an authority below that of the suite, which stands behind the leaf. */
  readonly chainedClient: Identity;
  readonly chainedServer: Identity;
  /** Keys that an implementation signs tokens with, and what checks those. */
  readonly signing: SuiteSigningKeys;
}

/** Names in the certificate of every peer, beside the address it listens on: whatever a case calls it below `.test`. */
export const USUAL_NAMES: readonly string[] = ['127.0.0.1', '::1', 'localhost', 'peer.test', '*.peer.test'];

/** The certificates of this process. Made when first asked for; nothing of them outlives it. */
export function suiteCertificates(): SuiteCertificates {
  return (certificates ??= {
    ca: authorities().suite.certificate,
    otherCa: authorities().other.certificate,
    client: issue({ commonName: 'conform client', usage: 'client' }, authorities().suite),
    otherClient: issue({ commonName: 'conform other client', usage: 'client' }, authorities().other),
    server: issue({ commonName: 'conform server', names: SERVER_NAMES }, authorities().suite),
    otherServer: issue({ commonName: 'conform other server', names: SERVER_NAMES }, authorities().suite),
    // Such a key takes a while to find, and few cases want it.
    get rsaServer() {
      return (rsaServer ??= issue(
        { commonName: 'conform RSA server', names: SERVER_NAMES, keys: 'rsa' },
        authorities().suite,
      ));
    },
    chainedClient: issueBelow({ commonName: 'conform chained client', usage: 'client' }),
    chainedServer: issueBelow({ commonName: 'conform chained server', names: SERVER_NAMES }),
    signing: suiteSigningKeys,
  });
}

/** DNS names by which the peers of this process are reached beside those. */
const furtherNames = new Set<string>();

/** From now on the certificates of peers are for this name as well. */
export function callPeers(name: string): void {
  furtherNames.add(name);
}

/** The identity of a server with this script at this address; the same one for the same of both. */
export function serverIdentity(script: TlsScript, address = '127.0.0.1'): Identity {
  const usual = [...new Set([...USUAL_NAMES, address, ...furtherNames])];
  const { fault, intermediate, names = usual } = script === true ? {} : script;
  const key = `${fault ?? ''} ${intermediate ?? ''} ${names.join(' ')}`;
  const known = identities.get(key);
  if (known !== undefined) return known;
  const identity = intermediate ? issueBelow({ commonName: 'conform peer', names }) : issueFor(fault, names);
  identities.set(key, identity);
  return identity;
}

/** Hosts of cases are one label below `.test`. */
const SERVER_NAMES: readonly string[] = ['*.test', 'localhost', '127.0.0.1'];

let certificates: SuiteCertificates | undefined;
let rsaServer: Identity | undefined;
let pair: { readonly suite: Authority; readonly other: Authority } | undefined;
let below: Authority | undefined;
const identities = new Map<string, Identity>();

function authorities(): { readonly suite: Authority; readonly other: Authority } {
  return (pair ??= { suite: createAuthority('conform suite CA'), other: createAuthority('conform other CA') });
}

/** A chain: the leaf first, then who signed it. Whoever reads it knows the authority of the suite. */
function issueBelow(wish: Wish): Identity {
  below ??= createAuthority('conform intermediate CA', authorities().suite);
  const { certificate, key } = issue(wish, below);
  return { certificate: certificate + below.certificate, key };
}

type Fault = Exclude<TlsScript, true>['fault'];

function issueFor(fault: Fault, names: readonly string[]): Identity {
  const usual = { commonName: 'conform peer', names };
  const { suite, other } = authorities();
  if (fault === 'wrong-name') return issue({ ...usual, names: ['elsewhere.invalid'] }, suite);
  if (fault === 'expired') return issue({ ...usual, validHours: [-48, -24] }, suite);
  if (fault === 'self-signed') return issue(usual);
  return issue(usual, fault === 'untrusted-ca' ? other : suite);
}
