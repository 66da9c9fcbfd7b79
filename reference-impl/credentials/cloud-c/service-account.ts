import { importPKCS8, SignJWT } from 'jose';
import type { Clock } from '../../base/clock.ts';
import type { Received } from '../../exchange/exchange.ts';
import type { Callers } from '../../upstream/callers.ts';
import { jsonMembers } from '../json-members.ts';
import { refuseToSend } from '../refuse-to-send.ts';
import { askTokenEndpoint, endpointAt, formQuestion, type TokenAnswer } from '../token-endpoint.ts';

/** Who the proxy is in the eyes of cloud C. */
interface ServiceAccount {
  readonly email: string;
  /** PKCS #8 in PEM. */
  readonly key: string;
  readonly keyId: string | undefined;
  readonly tokenUrl: URL;
}

/** Asks the token server that the credentials name. Rejects with backendAuthenticationFailed for credentials that say nothing of use. */
export async function askForAccount(
  credentials: string,
  scope: string,
  exchange: Received,
  callers: Callers,
): Promise<TokenAnswer> {
  const account = accountOf(credentials);
  const assertion = await assertionOf(account, scope, exchange.clock);
  const question = formQuestion({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
  return askTokenEndpoint(endpointAt(account.tokenUrl), question, exchange, callers);
}

function accountOf(credentials: string): ServiceAccount {
  const members = jsonMembers(credentials);
  const { type, client_email: email, private_key: key, private_key_id: keyId, token_uri: uri } = members;
  const tokenUrl = typeof uri === 'string' && URL.canParse(uri) ? new URL(uri) : undefined;
  if (type !== 'service_account' || typeof email !== 'string' || typeof key !== 'string' || tokenUrl === undefined) {
    return refuseToSend('the credentials of cloud C are not those of a service account');
  }
  return { email, key, keyId: typeof keyId === 'string' ? keyId : undefined, tokenUrl };
}

/** RFC 7523: a statement the account has signed, good for an hour. */
async function assertionOf(
  { email, key, keyId, tokenUrl }: ServiceAccount,
  scope: string,
  clock: Clock,
): Promise<string> {
  const seconds = Math.floor(clock.wall() / 1000);
  return new SignJWT({ scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(keyId === undefined ? {} : { kid: keyId }) })
    .setIssuer(email)
    .setAudience(tokenUrl.href)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + 3600)
    .sign(await privateKey(key));
}

async function privateKey(pem: string): ReturnType<typeof importPKCS8> {
  try {
    return await importPKCS8(pem, 'RS256');
  } catch {
    // The error of the library may show parts of the key.
    return refuseToSend('the private key of the credentials of cloud C cannot be read');
  }
}
