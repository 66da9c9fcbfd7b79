import {
  connect,
  type CipherNameAndProtocol,
  type ConnectionOptions,
  type DetailedPeerCertificate,
  type TLSSocket,
} from 'node:tls';
import { z } from 'zod';
import type { Endpoint } from '../sut/session.ts';
import { orPlaceholder } from './authoring.ts';

/** The suites a client may offer, in the words of the documents and in those of OpenSSL. */
const SUITES = {
  TLS13_AES_256_GCM_SHA384: 'TLS_AES_256_GCM_SHA384',
  TLS13_AES_128_GCM_SHA256: 'TLS_AES_128_GCM_SHA256',
  TLS13_CHACHA20_POLY1305_SHA256: 'TLS_CHACHA20_POLY1305_SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: 'ECDHE-RSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: 'ECDHE-RSA-AES128-GCM-SHA256',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-RSA-CHACHA20-POLY1305',
} as const;

const GROUPS = {
  X25519: ['X25519'],
  'P-256': ['P-256', 'prime256v1'],
  'P-384': ['P-384', 'secp384r1'],
  X25519_MLKEM768: ['X25519MLKEM768'],
} as const;

const version = orPlaceholder(z.enum(['1.0', '1.1', '1.2', '1.3']));

/** TLS of a client: `tls: true`, or how its handshake differs from the usual. */
export const tlsClientSchema = z.union(
  [
    z.literal(true),
    z.strictObject({
      serverName: z
        .union([z.string(), z.null()])
        .optional()
        .describe('SNI; the Host of the step when absent, none for null'),
      alpn: z
        .array(z.string().min(1))
        .min(1)
        .optional()
        .describe('protocols offered; the version of the step when absent'),
      min: version.optional().describe('oldest version of TLS offered'),
      max: version.optional().describe('newest version of TLS offered'),
      ciphers: z
        .array(orPlaceholder(z.enum(keysOf(SUITES))))
        .min(1)
        .optional()
        .describe('cipher suites offered'),
      groups: z
        .array(orPlaceholder(z.enum(keysOf(GROUPS))))
        .min(1)
        .optional()
        .describe('key exchange groups offered'),
      client: z
        .strictObject({
          certificate: z.string().describe('PEM, leaf first'),
          key: z.string().describe('PEM of its private key'),
        })
        .optional()
        .describe('the certificate the client shows and its key, PEM'),
    }),
  ],
  { error: 'true, or {serverName, alpn, min, max, ciphers, groups, client}' },
);

export type TlsClient = z.infer<typeof tlsClientSchema>;

/** What Node connects with. Nothing is verified: what the server showed is for the case to judge. */
export function tlsClientOptions(
  tls: TlsClient,
  usual: { readonly name: string; readonly alpn: string },
): ConnectionOptions {
  const {
    serverName = usual.name,
    alpn = [usual.alpn],
    min = '1.2',
    max = '1.3',
    ciphers,
    groups,
    client,
  } = tls === true ? {} : tls;
  const old = min === '1.0' || min === '1.1';
  return {
    servername: (serverName ?? '').replace(/:\d+$/, ''),
    ALPNProtocols: alpn,
    minVersion: versionOf(old && max === '1.0' ? '1.0' : min),
    maxVersion: versionOf(max),
    rejectUnauthorized: false,
    // OpenSSL offers the old versions only where it is told not to mind their weakness.
    ...(old ? { ciphers: 'DEFAULT:@SECLEVEL=0' } : {}),
    ...(ciphers === undefined ? {} : { ciphers: ciphers.map((suite) => lookUp(SUITES, suite) ?? suite).join(':') }),
    ...(groups === undefined
      ? {}
      : { ecdhCurve: groups.map((group) => lookUp(GROUPS, group)?.[0] ?? group).join(':') }),
    ...(client === undefined ? {} : { cert: client.certificate, key: client.key }),
  };
}

export function connectTls({ host, port }: Endpoint, options: ConnectionOptions): TLSSocket {
  return connect({ host, port, ...options });
}

/** What the handshake reported, in the words of the documents. */
export function describeHandshake(socket: TLSSocket): Readonly<Record<string, unknown>> {
  const key = socket.getEphemeralKeyInfo();
  const group = key !== null && 'name' in key ? key.name : undefined;
  const suite = suiteOf(socket.getCipher());
  const named = Object.entries(GROUPS).find(([, names]) => names.some((name) => name === group));
  const chain = chainOf(socket.getPeerCertificate(true));
  return {
    version: (socket.getProtocol() ?? '').replace('TLSv', ''),
    cipher: suite.replace(/^TLS_(?=AES|CHACHA)/, 'TLS13_'),
    group: named?.[0] ?? group,
    alpn: typeof socket.alpnProtocol === 'string' ? socket.alpnProtocol : null,
    certificate: chain[0] ?? null,
    chain,
  };
}

/** A handshake that ends with an alert may have a version already, and no cipher yet. */
function suiteOf(cipher: CipherNameAndProtocol | undefined): string {
  return cipher?.standardName ?? '';
}

/** Common names of what the server showed, leaf first. */
function chainOf(shown: DetailedPeerCertificate): readonly string[] {
  const names: string[] = [];
  const seen = new Set<object>();
  for (let one: DetailedPeerCertificate | undefined = shown; one?.subject !== undefined && !seen.has(one);) {
    seen.add(one);
    if (typeof one.subject.CN === 'string') names.push(one.subject.CN);
    one = one.issuerCertificate;
  }
  return names;
}

function versionOf(text: string): 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3' {
  if (text === '1.0') return 'TLSv1';
  if (text === '1.1') return 'TLSv1.1';
  return text === '1.2' ? 'TLSv1.2' : 'TLSv1.3';
}

function lookUp<Table extends object>(table: Table, name: string): Table[keyof Table] | undefined {
  return isKey(table, name) ? table[name] : undefined;
}

function isKey<Table extends object>(table: Table, name: PropertyKey): name is keyof Table {
  return Object.hasOwn(table, name);
}

function keysOf<Table extends object>(table: Table): (keyof Table & string)[] {
  return Object.keys(table).filter((name): name is keyof Table & string => isKey(table, name));
}
