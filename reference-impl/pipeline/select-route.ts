import { isServed } from '../backends/ai/models/served-paths.ts';
import { ProxyError } from '../base/proxy-error.ts';
import type { Listened, Routed } from '../exchange/exchange.ts';
import { hostWithoutPort, splitTarget } from '../exchange/request-state.ts';

/** The route rule that the request, as the gateway phase left it, matches (TRAFFIC-002). */
export function selectRoute(exchange: Listened): Routed {
  const { request, listener, trace } = exchange;
  const host = hostWithoutPort(request.authority).toLowerCase();
  const { path, query } = splitTarget(request.target);
  // MODEL-001: the paths of models are not for routes.
  const rule =
    listener.models !== undefined && isServed(path)
      ? listener.models.rule
      : listener.selectRoute({
          host,
          method: request.method,
          path,
          query,
          header: (name) => request.headers.get(name),
        });
  if (trace.active) {
    const evaluatedRoutes = listener.evaluatedRoutes(host);
    const message = { type: 'routeSelection', selectedRoute: rule?.key ?? null, evaluatedRoutes } as const;
    trace.emit(message, rule === undefined ? { severity: 'error' } : {});
  }
  if (rule === undefined) throw new ProxyError('routeNotFound');
  return { ...exchange, rule };
}
