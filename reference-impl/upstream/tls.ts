import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { checkServerIdentity, createSecureContext, getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { ConnectionOptions, PeerCertificate, SecureContext } from 'node:tls';
import type { EffectiveBackend } from '../attachment/policies/effective-policy.ts';
import type { Endpoint, PolicyReferences } from '../attachment/view.ts';
import { perObject } from '../base/per-object.ts';
import { ProxyError } from '../base/proxy-error.ts';
import type { BackendTLS } from '../resources/proxy-policy/fields/backend-tls.ts';
import type { KeyExchangeGroup } from '../resources/proxy-policy/fields/key-exchange-group.ts';

/** BackendTLS with everything it refers to. */
export interface TlsSettings {
  readonly policy: BackendTLS;
  /** The certificates in PEM, as they stand in the ConfigMap or the Secret; undefined takes those of the system. */
  readonly ca: string | undefined;
  readonly client: { readonly certificate: string; readonly key: string } | undefined;
  /** Why no connection can be made: a reference leads nowhere. Without what it names nothing could be verified. */
  readonly unusable: string | undefined;
  /** The same for the same settings; says nothing about the key it was made from. */
  readonly fingerprint: string;
}

/** The TLS settings of a backend; undefined when nobody asked for TLS (BTLS-001). docs/decisions/backend-tls.md */
export function tlsSettings({ tls, sources }: EffectiveBackend, references: PolicyReferences): TlsSettings | undefined {
  if (tls === undefined) return undefined;
  // ATTACH-021: local references are relative to the resource that says them.
  const namespace = sources['tls']?.[0]?.namespace ?? '';
  try {
    const client = clientCertificate(tls, namespace, references);
    return settings(tls, authorities(tls, namespace, references) ?? client?.authorities, client);
  } catch (error) {
    if (error instanceof MissingReference) return { ...settings(tls, undefined, undefined), unusable: error.message };
    throw error;
  }
}

/** What node's `tls.connect` needs besides the address. Throws upstreamCallFailed when the settings are unusable. */
export function tlsOptions(tls: TlsSettings, endpoint: Endpoint): ConnectionOptions {
  if (tls.unusable !== undefined) throw new ProxyError('upstreamCallFailed', tls.unusable);
  const { insecureSkipVerify, alpnProtocols = DEFAULT_ALPN } = tls.policy;
  return {
    secureContext: secureContext(tls),
    servername: serverName(tls.policy, endpoint),
    ALPNProtocols: [...alpnProtocols],
    // BTLS-009: All accepts whatever comes.
    rejectUnauthorized: insecureSkipVerify !== 'All',
    checkServerIdentity: (_, certificate) => checkNames(tls.policy, endpoint, certificate),
  };
}

/** BTLS-017 */
const DEFAULT_ALPN = ['h2', 'http/1.1'];

/** BTLS-019: the names OpenSSL knows the groups by. */
const GROUPS: Readonly<Record<KeyExchangeGroup, string>> = {
  X25519: 'X25519',
  'P-256': 'P-256',
  'P-384': 'P-384',
  X25519_MLKEM768: 'X25519MLKEM768',
};

class MissingReference extends Error {}

function settings(policy: BackendTLS, ca: string | undefined, client: TlsSettings['client']): TlsSettings {
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([policy, ca, client]))
    .digest('base64');
  return { policy, ca, client, unusable: undefined, fingerprint };
}

/** BTLS-004 */
function authorities(
  { caCertificateRefs: [ref] = [] }: BackendTLS,
  namespace: string,
  references: PolicyReferences,
): string | undefined {
  if (ref === undefined) return undefined;
  const pem = references.configMap(ref, namespace)?.data?.['ca.crt'];
  return pem ?? missing(`ConfigMap ${namespace}/${ref.name} has no ca.crt`);
}

/** BTLS-006, BTLS-007: the certificate the proxy shows, and the authorities that may come with it. */
function clientCertificate(
  { mtlsCertificateRef: [ref] = [] }: BackendTLS,
  namespace: string,
  references: PolicyReferences,
): (NonNullable<TlsSettings['client']> & { readonly authorities: string | undefined }) | undefined {
  if (ref === undefined) return undefined;
  const { data = {}, stringData = {} } = references.secret(ref, namespace) ?? {};
  const text = (key: string): string | undefined =>
    stringData[key] ?? (data[key] === undefined ? undefined : Buffer.from(data[key], 'base64').toString());
  return {
    certificate: text('tls.crt') ?? missing(`Secret ${namespace}/${ref.name} has no tls.crt`),
    key: text('tls.key') ?? missing(`Secret ${namespace}/${ref.name} has no tls.key`),
    authorities: text('ca.cert'),
  };
}

function missing(what: string): never {
  throw new MissingReference(what);
}

/** Made once per settings. Throws upstreamCallFailed for bad PEM. */
const secureContext = perObject(({ ca, client, policy }: TlsSettings): SecureContext => {
  const { keyExchangeGroups = [], insecureSkipVerify } = policy;
  if (ca === undefined && insecureSkipVerify !== 'All') trustSystemRoots();
  try {
    return createSecureContext({
      // BTLS-002, BTLS-005: what is named replaces the roots of the system, it is not added to them.
      ...(ca === undefined ? {} : { ca }),
      ...(client === undefined ? {} : { cert: client.certificate, key: client.key }),
      ...(keyExchangeGroups.length === 0 ? {} : { ecdhCurve: keyExchangeGroups.map((name) => GROUPS[name]).join(':') }),
    });
  } catch (error) {
    throw new ProxyError('upstreamCallFailed', 'the certificates for TLS cannot be read', { cause: error });
  }
});

let trustsSystemRoots = false;

/**
 * Makes the roots of the system those of every context that names none, instead of the ones node brings along. Reading
 * them takes a good part of a second, so it is done once, and only where somebody needs them.
 */
function trustSystemRoots(): void {
  if (trustsSystemRoots) return;
  trustsSystemRoots = true;
  setDefaultCACertificates([...new Set([...getCACertificates('system'), ...getCACertificates('extra')])]);
}

/** BTLS-013, BTLS-014: SNI carries names only. */
function serverName({ sni }: BackendTLS, endpoint: Endpoint): string {
  return sni ?? (isIP(hostOf(endpoint)) === 0 ? hostOf(endpoint) : '');
}

/** BTLS-010, BTLS-012, BTLS-015, BTLS-016 */
function checkNames(
  { insecureSkipVerify, verifySubjectAltNames }: BackendTLS,
  endpoint: Endpoint,
  certificate: PeerCertificate,
): Error | undefined {
  if (insecureSkipVerify !== undefined) return undefined;
  const accepted = verifySubjectAltNames ?? [hostOf(endpoint)];
  if (accepted.some((name) => isNameOf(certificate, name))) return undefined;
  return new Error(`the certificate is for none of ${accepted.join(', ')}`);
}

/** A DNS name, an address, or a URI such as a SPIFFE id. */
function isNameOf(certificate: PeerCertificate, name: string): boolean {
  try {
    if (name.includes('://')) return uriNames(certificate).includes(name);
    return checkServerIdentity(name, certificate) === undefined;
  } catch {
    return false; // a list of names that cannot be read has no name in it
  }
}

/** Values with a comma or a quote in them come quoted. */
function uriNames({ subjectaltname = '' }: PeerCertificate): readonly string[] {
  const uris = subjectaltname.matchAll(/(?:^|, )URI:("(?:[^"\\]|\\.)*"|[^,]*)/g);
  return [...uris].map(([, text = '']) => (text.startsWith('"') ? String(JSON.parse(text)) : text));
}

function hostOf(endpoint: Endpoint): string {
  return endpoint.kind === 'unix' ? 'localhost' : endpoint.host;
}
