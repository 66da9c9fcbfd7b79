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
  const { request, backend } = exchange;
  const endpoint = destination(request.authority, backend.policies.tls === undefined ? 80 : 443);
  if (endpoint === undefined) throw new ProxyError('invalidRequest', 'Host is no destination');
  return endpoint;
}

/** CFG 75: access control must be applied. It has been, or the request would not be here; this is whether there was any. */
function isGuarded({ listener, rule, backend }: Targeted): boolean {
  const places = [listener.preRouting, rule.postRouting, backend.policies];
  return places.some((place) => 'authorization' in place || 'extAuth' in place);
}
