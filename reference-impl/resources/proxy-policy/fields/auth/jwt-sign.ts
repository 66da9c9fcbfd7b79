import { z } from 'zod';
import { isFields } from '../../../groups.ts';
import { described, noted, type TranslationRule } from '../../../notes.ts';
import { secretKeyRef } from '../../../references.ts';
import { duration, json, mapOf } from '../../../scalars.ts';
import { authorizationLocation, BEARER } from '../location.ts';
import { signingAlgorithm } from './signing-algorithm.ts';

/** What the proxy says itself (ADMIT-141). */
export const RESERVED_CLAIMS: readonly string[] = ['iat', 'exp', 'nbf'];

/** An API server has no rule for it: maps whose values may be anything have no type there. docs/decisions/definitions.md */
const NO_RESERVED_CLAIM: TranslationRule = {
  clause: 'ADMIT-141',
  problemOf: (claims) =>
    RESERVED_CLAIMS.some((claim) => isFields(claims) && Object.hasOwn(claims, claim))
      ? `${RESERVED_CLAIMS.join(', ')} are set by the proxy and cannot be given`
      : undefined,
};

/** Signs a short-lived token per request with a PEM key (ADMIT-140, SIGN-004, SIGN-007, SIGN-010). */
export const jwtSign = noted(
  described(
    z.strictObject({
      signingKeyRef: secretKeyRef('signingKey'),
      alg: noted(signingAlgorithm, { default: 'RS256' }).exactOptional(),
      kid: z.string().exactOptional(),
      claims: noted(mapOf(json, 1, Number.POSITIVE_INFINITY), {
        clause: 'ADMIT-140',
        translation: NO_RESERVED_CLAIM,
      }),
      ttl: noted(duration, { default: '300s' }).exactOptional(),
      location: noted(authorizationLocation, { default: BEARER }).exactOptional(),
    }),
    {
      signingKeyRef: 'Secret with an RSA or EC key in PEM.',
      alg: 'Algorithm of the signature; it must fit the key.',
      kid: 'Key id in the header of the token.',
      claims: 'Claims of the token, at least one; iat, exp and nbf are set by the proxy.',
      ttl: 'How long the token is valid.',
      location: 'Where the token is put.',
    },
  ),
  { requires: 'ADMIT-140' },
);

export type JWTSign = z.infer<typeof jwtSign>;
