import { createPrivateKey, type KeyObject } from 'node:crypto';
import { refuseToSend } from './refuse-to-send.ts';

/** The private key of a PEM text: PKCS #8, PKCS #1 or SEC 1. Throws backendAuthenticationFailed for any other text. */
export function signingKey(pem: string, whose: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    // The message of the library may show parts of the key.
    return refuseToSend(`${whose} holds no private key in PEM`);
  }
}
