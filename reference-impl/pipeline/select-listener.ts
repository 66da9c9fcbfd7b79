import { ProxyError } from '../base/proxy-error.ts';
import type { Listened, Received } from '../exchange/exchange.ts';
import { hostWithoutPort } from '../exchange/request-state.ts';

/** The listener of the port whose hostname claims the request: exact, then longest wildcard, then catch-all. */
export function selectListener(received: Received): Listened {
  const { view, port, request } = received;
  const listener = view.binds.get(port)?.selectListener(hostWithoutPort(request.authority).toLowerCase());
  if (listener === undefined) throw new ProxyError('listenerNotFound');
  return { ...received, listener };
}

/** What the frontend policy of the listener refuses before any traffic policy is asked. */
export function checkFrontend({ request, listener }: Listened): void {
  // CONNECT-001, CONNECT-006, CONNECT-007: no mode is served yet that would let CONNECT pass.
  if (request.method === 'CONNECT') throw new ProxyError('methodNotAllowed');
  // FRONT-019, FRONT-020: Host counts as one of the fields.
  const most = listener.frontend.http?.http1MaxHeaders ?? DEFAULT_MAX_HEADERS;
  if (request.headers.size + 1 > most) throw new ProxyError('tooManyHeaders');
}

const DEFAULT_MAX_HEADERS = 100;
