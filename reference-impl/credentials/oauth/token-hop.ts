import type { Origin } from '../../attachment/policies/effective-policy.ts';
import { ProxyError } from '../../base/proxy-error.ts';
import type { Received } from '../../exchange/exchange.ts';
import type { OAuthClientAuth } from '../../resources/proxy-policy/fields/auth/oauth-client-auth.ts';
import type { BackendObjectReference } from '../../resources/references.ts';
import { refuseToSend } from '../refuse-to-send.ts';
import type { Services } from '../services.ts';
import { askTokenEndpoint, formQuestion, type TokenAnswer } from '../token-endpoint.ts';
import { clientAuthentication, type ClientAuthentication } from './client-authentication.ts';
import type { Parameter } from './grant.ts';

/** A token endpoint as a policy names it. */
export interface HopField {
  readonly backendRef: BackendObjectReference;
  readonly path?: string | undefined;
  readonly clientAuth?: OAuthClientAuth | undefined;
}

/** A token endpoint with the Secrets of the moment. */
export interface TokenHop {
  /** What tokens depend on besides the grant: whom they are from, and for which client. */
  readonly content: readonly string[];
  /** Rejects with a ProxyError when the answer is no success, or there is none. */
  readonly ask: (grant: readonly Parameter[], exchange: Received, services: Services) => Promise<TokenAnswer>;
}

/** Throws backendAuthenticationFailed when a Secret is missing. */
export function tokenHop(field: HopField, origin: Origin, exchange: Received): TokenHop {
  const client = clientAuthentication(field.clientAuth, origin, exchange);
  const { backendRef, path = '/' } = field; // OAUTH-002, XAA-007
  return {
    content: [JSON.stringify(backendRef), path, ...client.content],
    ask: async (grant, now, services) => {
      const answer = await ask({ backendRef, target: path, origin, client }, grant, now, services);
      if (answer.status < 200 || answer.status > 299) throw failureOf(answer);
      return answer;
    },
  };
}

interface Hop {
  readonly backendRef: BackendObjectReference;
  readonly target: string;
  readonly origin: Origin;
  readonly client: ClientAuthentication;
}

/** OAUTH-001. What an endpoint redirects to is not asked: nobody configured it, and it would learn the tokens. */
async function ask(
  { backendRef, target, origin, client }: Hop,
  grant: readonly Parameter[],
  exchange: Received,
  services: Services,
): Promise<TokenAnswer> {
  const server = exchange.view.references.backend(backendRef, origin);
  if ('unresolved' in server) return refuseToSend(server.message);
  const { parameters, authorization } = await client.prove(exchange, services);
  const { headers, ...question } = formQuestion([...grant, ...parameters]);
  const proven = authorization === undefined ? headers : headers.set('authorization', authorization);
  return askTokenEndpoint({ server, target }, { ...question, headers: proven }, exchange, services);
}

/** OAUTH-034: what the client showed is at fault, or the proxy and its endpoint are. docs/decisions/token-exchange.md */
function failureOf({ status, members }: TokenAnswer): ProxyError {
  const isOfClient = status >= 400 && status < 500 && status !== 401 && status !== 403;
  if (isOfClient) return new ProxyError('invalidRequest');
  const { error } = members;
  const reason = typeof error === 'string' && KNOWN_ERRORS.has(error) ? ` ${error}` : '';
  return new ProxyError('backendAuthenticationFailed', `token exchange returned status ${status}${reason}`);
}

/** RFC 6749, section 5.2, and RFC 8693, section 2.2.2. Any other text might be a token that came back. */
const KNOWN_ERRORS = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'invalid_target',
]);
