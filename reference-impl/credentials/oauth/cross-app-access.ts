import type { Origin } from '../../attachment/policies/effective-policy.ts';
import { ProxyError } from '../../base/proxy-error.ts';
import type { Received } from '../../exchange/exchange.ts';
import type { CrossAppAccess } from '../../resources/proxy-policy/fields/auth/oauth.ts';
import { BEARER } from '../../resources/proxy-policy/fields/location.ts';
import type { LentCredential } from '../lent-credential.ts';
import { putCredential } from '../put-credential.ts';
import type { Services } from '../services.ts';
import { jwtBearerGrant, tokenExchangeGrant, type Parameter } from './grant.ts';
import { issuedToken, type IssuedToken } from './issued-token.ts';
import { keptToken } from './kept-token.ts';
import { tokenPlace } from './shown-token.ts';
import { tokenHop, type TokenHop } from './token-hop.ts';
import { tokenTypeUri } from './token-types.ts';

/**
 * A token of the resource's own authorization server, for the word of the identity provider that knows the client
 * (XAA-001 to XAA-010).
 */
export function crossAppAccess(field: CrossAppAccess, origin: Origin): LentCredential {
  const place = tokenPlace(field.subjectToken?.source);
  return {
    readsBody: place.readsBody,
    show: async (exchange, variables, services) => {
      const subject = place.find(exchange, variables);
      // XAA-008
      const identityProvider = tokenHop(field.identityProvider, origin, exchange);
      const authorizationServer = tokenHop(field.resourceAuthorizationServer, origin, exchange);
      const grant = firstGrant(field, subject.credential);
      const token = await keptToken(
        {
          origin,
          cache: field.cache,
          content: [
            'crossAppAccess',
            JSON.stringify(identityProvider.content),
            JSON.stringify(authorizationServer.content),
            JSON.stringify(grant),
          ],
          shown: [subject.credential],
          hops: 2,
          fetch: async (asking) => {
            const answer = await identityProvider.ask(grant, asking, services);
            const { token: assertion } = issuedToken(answer, ID_JAG);
            return askWith(assertion, { field, authorizationServer }, asking, services);
          },
        },
        exchange,
        services,
      );
      // XAA-003. XAA-010: the field has no location. docs/decisions/token-exchange.md
      return putCredential(subject.remove(exchange.request), BEARER, token);
    },
  };
}

const ID_JAG = tokenTypeUri('IdJag');

/** XAA-001, XAA-004 to XAA-006 */
function firstGrant({ audience, scopes, resources }: CrossAppAccess, subject: string): readonly Parameter[] {
  const exchange = { subject: { token: subject, type: tokenTypeUri('IdToken') }, requestedType: ID_JAG };
  return tokenExchangeGrant(exchange, { audiences: [audience], scopes, resources });
}

/** XAA-002. The client has no part in this step, so nothing that goes wrong in it is the fault of the client. */
async function askWith(
  assertion: string,
  { field, authorizationServer }: { readonly field: CrossAppAccess; readonly authorizationServer: TokenHop },
  exchange: Received,
  services: Services,
): Promise<IssuedToken> {
  const grant = jwtBearerGrant(assertion, { scopes: field.scopes });
  try {
    return issuedToken(await authorizationServer.ask(grant, exchange, services));
  } catch (error) {
    if (!(error instanceof ProxyError) || error.code !== 'invalidRequest') throw error;
    throw new ProxyError('backendAuthenticationFailed', 'the authorization server refuses the assertion');
  }
}
