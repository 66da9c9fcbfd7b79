import { Buffer } from 'node:buffer';
import { perObject } from '../../../base/per-object.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import type { Received } from '../../../exchange/exchange.ts';
import type { Outcome } from '../../../exchange/outcome.ts';
import { refusalFor } from '../../../exchange/refusal.ts';
import type { Secret } from '../../../resources/core/secret.ts';
import type { BasicAuthentication } from '../../../resources/proxy-policy/fields/basic-authentication.ts';
import { BASIC } from '../../../resources/proxy-policy/fields/location.ts';
import {
  credentialLocation,
  type CredentialLocation,
  type ShownCredential,
} from '../../../credentials/credential-location.ts';
import type { Services } from '../../../credentials/services.ts';
import { goOn, prepareRequest, whenReady } from '../../expression-input.ts';
import type { Policy } from '../../policy.ts';
import { secretText } from '../../../credentials/secret-text.ts';
import { acceptsUser } from './accepted-passwords.ts';
import { parseHtpasswd, type Users } from './htpasswd.ts';
import { parseUserPassword } from './user-password.ts';

export interface CompiledBasicAuthentication {
  readonly strict: boolean;
  readonly challenge: string;
  readonly location: CredentialLocation;
  /** The users at the moment of a request; undefined while the Secret, or its key, does not exist. */
  readonly users: (exchange: Received) => Users | undefined;
}

/**
 * Lets in who shows the name and the password of a user (BASIC-001 to BASIC-018). docs/decisions/client-credentials.md
 */
export const basicAuthentication: Policy<BasicAuthentication, CompiledBasicAuthentication> = {
  compile: ({ mode = 'Strict', realm = 'Restricted', location = BASIC, ...source }, { namespace }) => ({
    strict: mode === 'Strict',
    challenge: challengeFor(realm),
    location: credentialLocation(location),
    users: usersOf(source, namespace),
  }),

  request: (exchange, policy, services) =>
    whenReady(prepareRequest(exchange, policy.location.readsBody), ({ exchange: read, variables }) => {
      const shown = policy.location.extract(read.request, variables);
      if (shown !== undefined) return judge(read, shown, policy, services);
      // BASIC-001, BASIC-005
      return policy.strict ? refuseUser(policy, 'no basic authentication credentials found') : goOn(exchange, read);
    }),
};

/** BASIC-006, BASIC-007, BASIC-008. The realm may be any text; a quoted string of a header may not. */
function challengeFor(realm: string): string {
  const quotable = realm.replace(/\p{Cc}/gu, ' ').replace(/["\\]/g, '\\$&');
  return `Basic realm="${Buffer.from(quotable).toString('latin1')}"`;
}

type Source = Pick<BasicAuthentication, 'users' | 'secretRef'>;

/** BASIC-014, BASIC-015 */
function usersOf({ users = [], secretRef }: Source, namespace: string): CompiledBasicAuthentication['users'] {
  if (secretRef === undefined) {
    const listed = parseHtpasswd(users.join('\n'));
    return () => listed;
  }
  const { key = '.htaccess' } = secretRef;
  const usersIn = perObject((secret: Secret) => {
    const text = secretText(secret, key);
    return text === undefined ? undefined : parseHtpasswd(text);
  });
  return ({ view }) => {
    const secret = view.references.secret(secretRef, namespace);
    return secret && usersIn(secret);
  };
}

/** BASIC-002, BASIC-003, BASIC-004. A-001: whoever shows wrong credentials is refused under Optional too. */
async function judge(
  exchange: Received,
  { credential, remove }: ShownCredential,
  policy: CompiledBasicAuthentication,
  services: Services,
): Promise<Outcome> {
  const claimed = parseUserPassword(credential);
  const users = policy.users(exchange);
  const accepted =
    claimed !== undefined && users !== undefined && (await acceptsUser(users, claimed, services, exchange));
  if (!accepted) return refuseUser(policy, 'invalid credentials');
  return { kind: 'change', request: remove(exchange.request), facts: { basicAuth: { username: claimed.name } } };
}

function refuseUser({ challenge }: CompiledBasicAuthentication, detail: string): Outcome {
  const answer = refusalFor(new ProxyError('basicAuthenticationFailed', detail));
  return { kind: 'answer', answer: { ...answer, headers: answer.headers.set('WWW-Authenticate', challenge) } };
}
