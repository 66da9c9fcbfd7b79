import type { Origin } from '../../../attachment/policies/effective-policy.ts';
import type { JWTProvider } from '../../../resources/proxy-policy/fields/jwt-authentication.ts';
import { inlineKeySet } from '../../../credentials/key-sets/inline-key-set.ts';
import type { KeySetSource } from '../../../credentials/key-sets/key-set-source.ts';
import { remoteKeySet } from '../../../credentials/key-sets/remote-key-set.ts';

/** An issuer of tokens, ready to be asked for its keys. */
export interface Provider {
  /** Undefined: any will do, as the deprecated way has it. */
  readonly issuer: string | undefined;
  /** Undefined: any will do (JWT-007). */
  readonly audiences: readonly string[] | undefined;
  readonly keySet: KeySetSource;
}

/** Never throws: keys that cannot be read are keys that are not there. */
export function compileProvider({ issuer, audiences, jwks }: JWTProvider, origin: Origin): Provider {
  const keySet =
    jwks.remote === undefined ? inlineKeySet(jwks.inline ?? '', issuer) : remoteKeySet(jwks.remote, origin);
  return { issuer, audiences, keySet };
}
