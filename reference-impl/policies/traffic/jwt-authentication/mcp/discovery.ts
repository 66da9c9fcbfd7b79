import { errorFields } from '../../../../base/log.ts';
import { ProxyError } from '../../../../base/proxy-error.ts';
import type { Services } from '../../../../credentials/services.ts';
import type { Answer, Received } from '../../../../exchange/exchange.ts';
import { refusalFor } from '../../../../exchange/refusal.ts';
import { askedPath, below, RESOURCE, SERVER } from './addresses.ts';
import { authorizationServer } from './authorization-server.ts';
import { preflightAnswer } from './documents.ts';
import { identityProvider } from './identity-providers.ts';
import type { OAuth } from './oauth.ts';
import { protectedResource } from './protected-resource.ts';
import { registration } from './registration.ts';
import { authorize, token } from './token-proxy.ts';

/** MCPAUTH-001, MCPAUTH-013: what clients without a token ask for; undefined for any other request. */
export function answerDiscovery(
  exchange: Received,
  oauth: OAuth,
  services: Services,
): Answer | Promise<Answer> | undefined {
  const path = askedPath(exchange);
  const resource = below(RESOURCE, path);
  const server = below(SERVER, path);
  if (resource === undefined && server === undefined) return undefined;
  if (server?.endsWith('/client-registration') === true) return answerRegistration(exchange, oauth, services);
  const proxied = server === undefined ? undefined : tokenEndpoint(server, oauth);
  if (proxied !== undefined) return orFailure(exchange, services, () => proxied(exchange, oauth, services));
  if (exchange.request.method === 'OPTIONS') return preflightAnswer('GET, OPTIONS');
  if (resource !== undefined) return protectedResource(exchange, oauth, resource);
  return orFailure(exchange, services, () => authorizationServer(exchange, oauth, server ?? '', services));
}

/** The same beside the resource itself, for those who have a token. */
export function answerRegistered(exchange: Received, oauth: OAuth, services: Services): Promise<Answer> | undefined {
  return askedPath(exchange).endsWith('/client-registration')
    ? answerRegistration(exchange, oauth, services)
    : undefined;
}

function answerRegistration(exchange: Received, oauth: OAuth, services: Services): Promise<Answer> {
  return orFailure(exchange, services, () => registration(exchange, oauth, services));
}

function tokenEndpoint(path: string, oauth: OAuth): typeof token | undefined {
  const { refusesResource } = identityProvider(oauth);
  if (refusesResource && path.endsWith('/authorize')) return authorize;
  return (refusesResource || oauth.clientSecret !== undefined) && path.endsWith('/token') ? token : undefined;
}

/** What the identity provider does wrong is no matter of the client. */
async function orFailure(exchange: Received, services: Services, answer: () => Promise<Answer>): Promise<Answer> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof ProxyError) || exchange.cancellation.reason !== undefined) throw error;
    services.log.warn('MCP OAuth failed', errorFields(error));
    return refusalFor(error.code === 'bodyTooLarge' ? error : new ProxyError('oauthFailed'));
  }
}
