import type { EffectiveBackend } from '../attachment/effective-policy.ts';
import type { Endpoint } from '../attachment/view.ts';
import { parseDuration } from '../base/duration.ts';
import { perObject } from '../base/per-object.ts';
import type { Routed, Targeted } from '../exchange/exchange.ts';
import type { DialOptions } from '../upstream/dial.ts';
import { endpointAuthority, isHostname, pickEndpoint } from '../upstream/endpoints.ts';
import type { Backend } from './backend.ts';

/** Plain HTTP/1.1: static backends and Services. */
export const http: Backend = {
  prepare: (exchange, { random }) => {
    const endpoint = pickEndpoint(exchange.backend.endpoints, random);
    const authority = upstreamAuthority(exchange, endpoint);
    const { request } = exchange;
    if (authority === request.authority) return { endpoint, exchange };
    return { endpoint, exchange: { ...exchange, request: { ...request, authority } } };
  },
  send: ({ endpoint, exchange: { request, rule, backend, cancellation } }, services) => {
    const { dial, requestTimeout: ofBackend } = connection(backend.policies);
    const requestTimeout = ofBackend ?? milliseconds(rule.postRouting.timeouts?.backendRequest);
    return services.http.send({ endpoint, dial, request, requestTimeout, cancellation });
  },
};

export interface Connection {
  readonly dial: DialOptions;
  readonly requestTimeout: number | undefined;
}

/** The connection settings of a backend policy, in milliseconds. */
export const connection = perObject(({ tcp, http: messages }: EffectiveBackend): Connection => ({
  dial: {
    connectTimeout: milliseconds(tcp?.connectTimeout) ?? DEFAULT_CONNECT_TIMEOUT,
    keepalive: tcp?.keepalive === undefined ? undefined : (milliseconds(tcp.keepalive.time) ?? DEFAULT_KEEPALIVE_TIME),
  },
  requestTimeout: milliseconds(messages?.requestTimeout),
}));

const DEFAULT_CONNECT_TIMEOUT = 10_000;
/** BTCP-004 */
const DEFAULT_KEEPALIVE_TIME = 180_000;

function milliseconds(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : parseDuration(duration);
}

/** HOST-004, HOST-005: the Host the endpoint gets, either its own or the one of the request. */
function upstreamAuthority(exchange: Targeted, endpoint: Endpoint): string {
  return rewritesHost(exchange, endpoint) ? endpointAuthority(endpoint) : exchange.request.authority;
}

function rewritesHost({ rule, backend }: Routed & Targeted, endpoint: Endpoint): boolean {
  const { hostRewrite, urlRewrite } = rule.postRouting;
  // A host that a filter of the route names is meant for the upstream.
  if (endpoint.kind === 'unix' || urlRewrite?.hostname !== undefined) return false;
  // HOST-006, HOST-007, HOST-008
  if (hostRewrite === undefined) return backend.type !== 'service' && isHostname(endpoint);
  return hostRewrite.mode === 'Auto';
}
