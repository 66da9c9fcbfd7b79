import type { ListenerView } from '../attachment/view.ts';
import { ProxyError } from '../base/proxy-error.ts';
import type { Listened, Received } from '../exchange/exchange.ts';
import { hostWithoutPort } from '../exchange/request-state.ts';

/** The listener of the port whose hostname claims the request: exact, then longest wildcard, then catch-all. */
export function selectListener({ view, port, request, source }: Received): ListenerView {
  const bind = view.binds.get(port);
  // CONNECT-007: refused for what it is, whatever host it names.
  if (request.method === 'CONNECT' && bind?.frontend.connect?.mode !== 'Route')
    throw new ProxyError('methodNotAllowed');
  const listener = bind?.selectListener(hostWithoutPort(request.authority).toLowerCase());
  if (listener === undefined) throw new ProxyError('listenerNotFound');
  // Whoever shook hands with one listener is none of another, which may show other certificates and ask for others. docs/decisions/frontend-tls.md
  if (source.tls !== undefined && bind?.selectListener(source.tls.serverName) !== listener)
    throw new ProxyError('misdirectedRequest');
  return listener;
}

/** What the frontend policy of the listener refuses before any traffic policy is asked. */
export function checkFrontend({ request, listener }: Listened): void {
  // CONNECT-001, CONNECT-006, CONNECT-007: only Route lets it pass, and only where the connection can become a tunnel.
  const passes = listener.frontend.connect?.mode === 'Route' && request.upgrade === 'tunnel';
  if (request.method === 'CONNECT' && !passes) throw new ProxyError('methodNotAllowed');
  // FRONT-019, FRONT-020: Host counts as one of the fields.
  const { fieldCount = 0 } = request;
  const most = listener.frontend.http?.http1MaxHeaders ?? DEFAULT_MAX_HEADERS;
  if (fieldCount > most) throw new ProxyError('tooManyHeaders');
}

const DEFAULT_MAX_HEADERS = 100;
