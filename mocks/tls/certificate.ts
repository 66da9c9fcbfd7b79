import { Buffer } from 'node:buffer';
import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { DER } from './der.ts';
import { wallClock } from '../wall-clock.ts';

/** A certificate and the private key that belongs to it, both in PEM. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

/** An identity that can sign others. */
export interface Authority extends Identity {
  readonly commonName: string;
  readonly keyId: Buffer;
}

export interface Wish {
  readonly commonName: string;
  /** Subject alternative names: DNS names, addresses, URIs; told apart by their form. */
  readonly names?: readonly string[];
  /** Whole hours from now; negative ones have passed. */
  readonly validHours?: readonly [from: number, to: number];
  readonly usage?: 'server' | 'client';
  /** What the key is of; ECDSA on P-256 when absent. */
  readonly keys?: 'rsa';
}

/** An authority, signed by itself where no other vouches for it. ECDSA on P-256, like everything here where nothing else is said. */
export function createAuthority(commonName: string, above?: Authority): Authority {
  const keys = newKeys();
  const extensions = [
    extension('2.5.29.19', DER.sequence(DER.boolean(true)), true),
    extension('2.5.29.15', DER.bitString(Buffer.from([0b0000_0110]), 1), true), // keyCertSign, cRLSign
    subjectKeyId(keys.id),
    ...(above === undefined ? [] : [authorityKeyId(above.keyId)]),
  ];
  const certificate = signCertificate({
    ...keys,
    commonName,
    extensions,
    issuer: above ?? { commonName, key: keys.key },
  });
  return { certificate, key: keys.key, commonName, keyId: keys.id };
}

/** A certificate for a server or a client; without an authority it is signed by itself. */
export function issue(wish: Wish, authority?: Authority): Identity {
  const keys = wish.keys === 'rsa' ? newRsaKeys() : newKeys();
  const issuer = authority ?? { commonName: wish.commonName, key: keys.key, keyId: keys.id };
  const purpose = wish.usage === 'client' ? '1.3.6.1.5.5.7.3.2' : '1.3.6.1.5.5.7.3.1';
  const extensions = [
    extension('2.5.29.19', DER.sequence(), true),
    extension('2.5.29.15', DER.bitString(Buffer.from([0b1000_0000]), 7), true), // digitalSignature
    extension('2.5.29.37', DER.sequence(DER.oid(purpose))),
    subjectKeyId(keys.id),
    authorityKeyId(issuer.keyId),
    ...(wish.names === undefined ? [] : [extension('2.5.29.17', DER.sequence(...wish.names.map(generalName)))]),
  ];
  return { certificate: signCertificate({ ...wish, ...keys, extensions, issuer }), key: keys.key };
}

interface Keys {
  readonly key: string;
  /** SubjectPublicKeyInfo. */
  readonly spki: Buffer;
  readonly id: Buffer;
}

function newKeys(): Keys {
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { format: 'pem', type: 'pkcs8' },
    publicKeyEncoding: { format: 'der', type: 'spki' },
  });
  return { key: privateKey, spki: publicKey, id: createHash('sha1').update(publicKey).digest() };
}

/** Signs nothing here: an authority has keys of the other kind. */
function newRsaKeys(): Keys {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { format: 'pem', type: 'pkcs8' },
    publicKeyEncoding: { format: 'der', type: 'spki' },
  });
  return { key: privateKey, spki: publicKey, id: createHash('sha1').update(publicKey).digest() };
}

interface Unsigned extends Keys, Pick<Wish, 'commonName' | 'validHours'> {
  readonly extensions: readonly Buffer[];
  readonly issuer: { readonly commonName: string; readonly key: string };
}

/** A day back, so that clocks need not agree, and a month ahead. */
const USUAL_HOURS = [-24, 24 * 30] as const;
const ECDSA_WITH_SHA256 = DER.sequence(DER.oid('1.2.840.10045.4.3.2'));
const VERSION_3 = DER.explicit(0, DER.integer(Buffer.from([2])));

function signCertificate({ commonName, validHours = USUAL_HOURS, spki, extensions, issuer }: Unsigned): string {
  const [from, to] = validHours.map((hours) => DER.time(wallClock() + hours * 3_600_000));
  const content = DER.sequence(
    VERSION_3,
    DER.integer(randomBytes(16)),
    ECDSA_WITH_SHA256,
    distinguishedName(issuer.commonName),
    DER.sequence(from ?? Buffer.alloc(0), to ?? Buffer.alloc(0)),
    distinguishedName(commonName),
    spki,
    DER.explicit(3, DER.sequence(...extensions)),
  );
  const signature = sign('sha256', content, createPrivateKey(issuer.key));
  const bytes = DER.sequence(content, ECDSA_WITH_SHA256, DER.bitString(signature));
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function distinguishedName(commonName: string): Buffer {
  return DER.sequence(DER.set(DER.sequence(DER.oid('2.5.4.3'), DER.text(commonName))));
}

function extension(oid: string, value: Buffer, critical = false): Buffer {
  return DER.sequence(DER.oid(oid), ...(critical ? [DER.boolean(true)] : []), DER.octetString(value));
}

function subjectKeyId(id: Buffer): Buffer {
  return extension('2.5.29.14', DER.octetString(id));
}

function authorityKeyId(id: Buffer): Buffer {
  return extension('2.5.29.35', DER.sequence(DER.implicit(0, id)));
}

function generalName(name: string): Buffer {
  if (name.includes('://')) return DER.implicit(6, Buffer.from(name, 'latin1'));
  return isIP(name) === 0 ? DER.implicit(2, Buffer.from(name, 'latin1')) : DER.implicit(7, addressBytes(name));
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = address.split('::');
  const [left, right] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => 0);
  return Buffer.from([...left, ...zeros, ...right].flatMap((group) => [group >> 8, group & 0xff]));
}

function groupsOf(text: string): readonly number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}
