import { randomUUID, type KeyObject, type X509Certificate } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Received } from '../../exchange/exchange.ts';
import type { OAuthClientAuth } from '../../resources/proxy-policy/fields/auth/oauth-client-auth.ts';
import { refuseToSend } from '../refuse-to-send.ts';
import { lastingState, type Services } from '../services.ts';
import { certificateChain, certificateHeader } from './certificate-chain.ts';
import { signingKey } from '../signing-key.ts';

export type PrivateKeyJwt = NonNullable<OAuthClientAuth['privateKeyJwt']>;

/** The texts of the Secrets an assertion is made of. */
export interface AssertionSecrets {
  readonly key: string;
  readonly certificate: string | undefined;
}

/** Seconds an assertion is good for; it begins a little in the past, since clocks differ. */
const GOOD_FOR = 300;
const BACKDATED = 10;

/**
 * OAUTH-021: what the client says of itself, signed (RFC 7523, section 2.2). Rejects with backendAuthenticationFailed
 * when the Secrets hold nothing that can sign it.
 */
export async function clientAssertion(
  {
    clientId,
    jwt,
    secrets,
  }: { readonly clientId: string; readonly jwt: PrivateKeyJwt; readonly secrets: AssertionSecrets },
  { clock }: Received,
  services: Services,
): Promise<string> {
  const key = signingKey(secrets.key, `Secret ${jwt.signingKeyRef.name}`);
  const header = certificateOf(jwt, key, secrets, services);
  const now = Math.floor(clock.wall() / 1000) - BACKDATED;
  // OAUTH-023
  const { alg = usualAlgorithm(key), kid, assertionAudience } = jwt;
  const assertion = new SignJWT({})
    .setProtectedHeader({ alg, typ: 'JWT', ...(kid === undefined ? {} : { kid }), ...header })
    .setIssuer(clientId)
    .setSubject(clientId)
    // OAUTH-022
    .setAudience(assertionAudience)
    .setJti(randomUUID())
    .setNotBefore(now)
    .setIssuedAt(now)
    .setExpirationTime(now + BACKDATED + GOOD_FOR);
  try {
    return await assertion.sign(key);
  } catch {
    return refuseToSend(`the key of Secret ${jwt.signingKeyRef.name} cannot sign ${alg}`);
  }
}

/** Where none is named: the one that goes with the key. docs/decisions/token-exchange.md */
function usualAlgorithm({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  if (asymmetricKeyType !== 'ec') return 'RS256';
  return asymmetricKeyDetails?.namedCurve === 'secp384r1' ? 'ES384' : 'ES256';
}

function certificateOf(
  jwt: PrivateKeyJwt,
  key: KeyObject,
  { certificate }: AssertionSecrets,
  services: Services,
): Readonly<Record<string, unknown>> {
  const { certificateRef, certificateHeader: kind } = jwt;
  if (certificateRef === undefined || kind === undefined || certificate === undefined) return {};
  const chain = certificateChain(certificate, `Secret ${certificateRef.name}`);
  warnOnce(jwt, chain[0], key, services);
  return certificateHeader(kind, chain);
}

/** OAUTH-028: a certificate of another key is worth a warning; it is for the token endpoint to refuse it. */
function warnOnce(jwt: PrivateKeyJwt, leaf: X509Certificate, key: KeyObject, services: Services): void {
  const warned = warnedOf(services, jwt);
  if (leaf.checkPrivateKey(key) || warned.fingerprint === leaf.fingerprint256) return;
  warned.fingerprint = leaf.fingerprint256;
  services.log.warn('the certificate is not that of the signing key', {
    certificate: jwt.certificateRef?.name,
    signingKey: jwt.signingKeyRef.name,
  });
}

/** The last certificate that was warned about. */
const warnedOf = lastingState<PrivateKeyJwt, { fingerprint: string | undefined }>(() => ({ fingerprint: undefined }));
