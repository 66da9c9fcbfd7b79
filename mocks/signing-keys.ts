import { generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** A key an implementation signs with, in every PEM form of its kind, and the half that checks it. All PEM. */
export interface SigningKey {
  readonly pkcs8: string;
  /** The older form: PKCS #1 of an RSA key, SEC 1 of an EC key. */
  readonly traditional: string;
  readonly public: string;
}

/** What cases can write into Secrets: `${suite.signing.rsa.pkcs8}`, … */
export interface SuiteSigningKeys {
  readonly rsa: SigningKey;
  readonly otherRsa: SigningKey;
  /** Of the curve P-256, for ES256. */
  readonly ec256: SigningKey;
  readonly otherEc256: SigningKey;
  /** Of the curve P-384, for ES384. */
  readonly ec384: SigningKey;
}

/** The signing keys of this process. Each is made when it is first asked for: an RSA key takes a while to find. */
export const suiteSigningKeys: SuiteSigningKeys = {
  get rsa() {
    return keyOf('rsa', rsaKey);
  },
  get otherRsa() {
    return keyOf('otherRsa', rsaKey);
  },
  get ec256() {
    return keyOf('ec256', () => ecKey('P-256'));
  },
  get otherEc256() {
    return keyOf('otherEc256', () => ecKey('P-256'));
  },
  get ec384() {
    return keyOf('ec384', () => ecKey('P-384'));
  },
};

const made = new Map<string, SigningKey>();

function keyOf(name: keyof SuiteSigningKeys, make: () => SigningKey): SigningKey {
  const key = made.get(name) ?? make();
  made.set(name, key);
  return key;
}

function rsaKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return formsOf(privateKey, publicKey, 'pkcs1');
}

function ecKey(namedCurve: string): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve });
  return formsOf(privateKey, publicKey, 'sec1');
}

function formsOf(privateKey: KeyObject, publicKey: KeyObject, traditional: 'pkcs1' | 'sec1'): SigningKey {
  return {
    pkcs8: String(privateKey.export({ format: 'pem', type: 'pkcs8' })),
    traditional: String(privateKey.export({ format: 'pem', type: traditional })),
    public: String(publicKey.export({ format: 'pem', type: 'spki' })),
  };
}
