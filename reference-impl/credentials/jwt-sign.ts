import type { KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Origin } from '../attachment/policies/effective-policy.ts';
import { parseDuration } from '../base/duration.ts';
import { perKey } from '../base/per-key.ts';
import { perObject } from '../base/per-object.ts';
import type { Received } from '../exchange/exchange.ts';
import type { Secret } from '../resources/core/secret.ts';
import { RESERVED_CLAIMS, type JWTSign } from '../resources/proxy-policy/fields/auth/jwt-sign.ts';
import { BEARER } from '../resources/proxy-policy/fields/location.ts';
import type { LentCredential } from './lent-credential.ts';
import { putCredential } from './put-credential.ts';
import { refuseToSend } from './refuse-to-send.ts';
import { secretText } from './secret-text.ts';
import { signingKey } from './signing-key.ts';

/** SIGN-001, SIGN-012: a token for each request, signed for it alone. `show` rejects when there is no key that can sign it. */
export function jwtSign(field: JWTSign, origin: Origin): LentCredential {
  // SIGN-010, SIGN-011
  const { location = BEARER } = field;
  return {
    readsBody: false,
    show: async (exchange) => putCredential(exchange.request, location, await signToken(field, origin, exchange)),
  };
}

/** SIGN-007 */
const DEFAULT_TTL = '300s';

async function signToken({ signingKeyRef, ...field }: JWTSign, origin: Origin, exchange: Received): Promise<string> {
  const { alg = 'RS256', kid, claims, ttl = DEFAULT_TTL } = field; // SIGN-004
  // ADMIT-141: what was rejected when it was translated signs nothing.
  if (RESERVED_CLAIMS.some((claim) => Object.hasOwn(claims, claim))) return refuseToSend('jwtSign has reserved claims');
  const { name, key = 'signingKey' } = signingKeyRef;
  const whose = `Secret ${origin.namespace}/${name}`;
  const secret =
    exchange.view.references.secret(signingKeyRef, origin.namespace) ?? refuseToSend(`${whose} is not there`);
  const privateKey = keyOf(secret)(key);
  // SIGN-008, SIGN-009; docs/decisions/signed-tokens.md
  const issuedAt = Math.floor(exchange.clock.wall() / 1000);
  const lifetime = Math.ceil((parseDuration(ttl) ?? 0) / 1000);
  const token = new SignJWT({ ...claims }) // SIGN-006
    .setProtectedHeader({ typ: 'JWT', alg, ...(kid === undefined ? {} : { kid }) }) // SIGN-005
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetime);
  try {
    return await token.sign(privateKey);
  } catch {
    // SIGN-013: an algorithm of another kind of key. docs/decisions/signed-tokens.md
    return refuseToSend(`the key of ${whose} cannot sign ${alg}`);
  }
}

/** Of one Secret by key. A Secret that changes is another object, so its new key signs the next request. */
const keyOf = perObject<Secret, (key: string) => KeyObject>((secret) =>
  perKey((key) => {
    const whose = `Secret ${secret.metadata.namespace}/${secret.metadata.name}`;
    return signingKey(secretText(secret, key) ?? refuseToSend(`${whose} has no key ${key}`), whose);
  }),
);
