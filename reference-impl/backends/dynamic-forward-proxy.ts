import type { Endpoint } from '../attachment/view.ts';
import { ProxyError } from '../base/proxy-error.ts';
import type { Targeted } from '../exchange/exchange.ts';
import { destination } from '../upstream/endpoints.ts';

/**
 * DFP-001, DFP-003: where a request wants to go, as its Host says when all policies have seen it. Throws authorizationFailed when nobody decides
 * who may go where, invalidRequest for what is no destination. docs/decisions/dynamic-forward-proxy.md
 */
export function namedDestination(exchange: Targeted): Endpoint {
  if (!isGuarded(exchange))
    throw new ProxyError('authorizationFailed', 'a dynamic forward proxy without access control');
  const { request, backend, source } = exchange;
  const endpoint = destination(request.authority, backend.policies.tls === undefined ? 80 : 443);
  if (endpoint === undefined) throw new ProxyError('invalidRequest', 'Host is no destination');
  if (!isNamedByHandshake(endpoint, source.tls)) throw new ProxyError('misdirectedRequest');
  return endpoint;
}

/** DFP-002: over TLS the server name is the destination, and what was decided about the Host has to be about the same. */
function isNamedByHandshake(endpoint: Endpoint, tls: Targeted['source']['tls']): boolean {
  if (tls === undefined || tls.serverName === '') return true;
  return endpoint.kind === 'tcp' && endpoint.host === tls.serverName.toLowerCase();
}

/** CFG 75: access control must be applied. It has been, or the request would not be here; this is whether there was any, CFG 198 of connections. */
function isGuarded({ listener, rule, backend }: Targeted): boolean {
  if (listener.frontend.networkAuthorization !== undefined) return true;
  const places = [listener.preRouting, rule.postRouting, backend.policies];
  return places.some((place) => 'authorization' in place || 'extAuth' in place);
}
