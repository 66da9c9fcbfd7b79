import { SignJWT } from 'jose';
import type { Clock } from '../../base/clock.ts';
import type { Received } from '../../exchange/exchange.ts';
import { idToken } from '../id-token.ts';
import { jsonMembers } from '../json-members.ts';
import { refuseToSend } from '../refuse-to-send.ts';
import type { Services } from '../services.ts';
import { signingKey } from '../signing-key.ts';
import type { Token } from '../token-cache.ts';
import { accessToken, askTokenEndpoint, endpointAt, formQuestion } from '../token-endpoint.ts';
import type { WantedKind } from './wanted-kind.ts';

/**
 * Asks the token server that the credentials name for a token of the account, or of the user, they are of. Rejects with
 * backendAuthenticationFailed for credentials that say nothing of use.
 */
export async function credentialsToken(
  credentials: string,
  wanted: WantedKind,
  { exchange, services }: { readonly exchange: Received; readonly services: Services },
): Promise<Token> {
  const members = jsonMembers(credentials);
  const { type, token_uri: uri = PUBLIC_URL } = members;
  const grant = typeof type === 'string' ? GRANTS.get(type) : undefined;
  if (grant === undefined || typeof uri !== 'string' || !URL.canParse(uri)) return refuseCredentials();
  const url = new URL(uri);
  const form = await grant(members, { url, wanted, clock: exchange.clock });
  const answer = await askTokenEndpoint(endpointAt(url), formQuestion(form), exchange, services);
  const token =
    wanted.type === 'IdToken'
      ? idToken(answer.status, answer.members['id_token'], exchange.clock)
      : accessToken(answer);
  return token ?? refuseToSend(`no token of cloud C: status ${answer.status}`);
}

const PUBLIC_URL = 'https://oauth2.googleapis.com/token';

function refuseCredentials(): never {
  return refuseToSend('the credentials of cloud C are neither those of a service account nor those of a user');
}

interface Asked {
  readonly url: URL;
  readonly wanted: WantedKind;
  readonly clock: Clock;
}

type Members = Readonly<Record<string, unknown>>;
type Grant = (members: Members, asked: Asked) => Promise<Readonly<Record<string, string>>>;

/** BAUTH-041: what is asked, by the type of the credentials. Others name places of their own to read from: docs/decisions/cloud-credentials.md. */
const GRANTS: ReadonlyMap<string, Grant> = new Map([
  ['service_account', accountGrant],
  ['authorized_user', userGrant],
]);

/** RFC 7523: a statement that the account has signed. */
async function accountGrant(
  { client_email: email, private_key: key, private_key_id: kid }: Members,
  asked: Asked,
): Promise<Readonly<Record<string, string>>> {
  if (typeof email !== 'string' || typeof key !== 'string') return refuseCredentials();
  const assertion = await assertionOf(email, { key, ...(typeof kid === 'string' ? { kid } : {}) }, asked);
  return { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
}

/** Good for an hour. */
async function assertionOf(
  email: string,
  { key, ...named }: { readonly key: string; readonly kid?: string },
  { url, wanted, clock }: Asked,
): Promise<string> {
  const seconds = Math.floor(clock.wall() / 1000);
  const what = wanted.type === 'IdToken' ? { target_audience: wanted.audience } : { scope: wanted.scope };
  const statement = new SignJWT(what)
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...named })
    .setIssuer(email)
    .setAudience(url.href)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + 3600);
  try {
    return await statement.sign(signingKey(key, 'the account of cloud C'));
  } catch {
    // The error of the library may show parts of the key.
    return refuseToSend('the private key of the credentials of cloud C cannot sign');
  }
}

/** RFC 6749, section 6. Such a user has tokens for nobody in particular. */
async function userGrant(
  { client_id: id, client_secret: secret, refresh_token: token }: Members,
  { wanted }: Asked,
): Promise<Readonly<Record<string, string>>> {
  if (wanted.type === 'IdToken') return refuseToSend('credentials of a user give no ID token for an audience');
  if (typeof id !== 'string' || typeof secret !== 'string' || typeof token !== 'string') return refuseCredentials();
  return { grant_type: 'refresh_token', client_id: id, client_secret: secret, refresh_token: token };
}
