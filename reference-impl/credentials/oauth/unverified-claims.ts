import { decodeJwt } from 'jose';

/** What a token says about itself, unproven; undefined for a token that is no JWT. Never throws. */
export function unverifiedClaims(token: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return decodeJwt(token);
  } catch {
    return undefined; // an opaque token, which only its issuer can read
  }
}
