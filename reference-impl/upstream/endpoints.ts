import { isIP, isIPv6 } from 'node:net';
import { ProxyError } from '../base/proxy-error.ts';
import { perObject } from '../base/per-object.ts';
import type { Endpoint } from '../attachment/view.ts';

/** One of the endpoints, each as likely as any other. Throws noHealthyBackends when there is none. */
export function pickEndpoint(endpoints: readonly Endpoint[], random: () => number): Endpoint {
  const endpoint = endpoints.length === 1 ? endpoints[0] : endpoints[Math.floor(random() * endpoints.length)];
  if (endpoint === undefined) throw new ProxyError('noHealthyBackends');
  return endpoint;
}

/** The endpoint as text: `host:port` (TRACE-078), or the path of a Unix socket (TRACE-100). */
export function endpointText(endpoint: Endpoint): string {
  if (endpoint.kind === 'unix') return `unix:${endpoint.path}`;
  return endpoint.host.includes(':') ? `[${endpoint.host}]:${endpoint.port}` : `${endpoint.host}:${endpoint.port}`;
}

/** The endpoint as the value of `Host`: without the port when it is the usual one of the scheme. */
export function endpointAuthority(endpoint: Endpoint, scheme: 'http' | 'https' = 'http'): string {
  const text = endpointText(endpoint);
  const usual = scheme === 'http' ? 80 : 443;
  return endpoint.kind === 'tcp' && endpoint.port === usual ? text.slice(0, -`:${usual}`.length) : text;
}

/** Whether the endpoint is named rather than numbered. */
export const isHostname = perObject(
  (endpoint: Endpoint): boolean => endpoint.kind === 'tcp' && isIP(endpoint.host) === 0,
);

/** The host and port of an authority; `usual` is the port of one that names none (DFP-005). Undefined for what leads nowhere. */
export function destination(authority: string, usual: number): Endpoint | undefined {
  const [, literal, name, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([\w.-]+))(?::(\d*))?$/.exec(authority) ?? [];
  const host = literal ?? name;
  const port = digits === undefined || digits === '' ? usual : Number(digits);
  if (host === undefined || port < 1 || port > 65_535) return undefined;
  if (literal !== undefined && !isIPv6(literal)) return undefined;
  return { kind: 'tcp', host: host.toLowerCase(), port };
}
