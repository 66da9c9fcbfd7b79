import { hostWithoutPort } from '../exchange/request-state.ts';
import type { Targeted } from '../exchange/exchange.ts';

/** The host a request is on its way to; undefined for a Unix domain socket, and where a provider's own host is meant. */
export function targetHost({ backend, request }: Targeted): string | undefined {
  if (backend.type === 'dynamic') return hostWithoutPort(request.authority);
  const [endpoint] = backend.endpoints;
  return endpoint?.kind === 'tcp' ? endpoint.host : undefined;
}
