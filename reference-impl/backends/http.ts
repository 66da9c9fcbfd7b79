import type { Endpoint } from '../attachment/view.ts';
import type { Routed, Targeted } from '../exchange/exchange.ts';
import { connection, milliseconds } from '../upstream/connection.ts';
import { endpointAuthority, isHostname, pickEndpoint } from '../upstream/endpoints.ts';
import { httpVersion } from '../upstream/http-version.ts';
import type { Services } from '../credentials/services.ts';
import { toAgentRuntime } from './agent-runtime.ts';
import type { Backend, Prepared } from './backend.ts';
import { namedDestination } from './dynamic-forward-proxy.ts';
import { upgradedAnswer } from './upgraded-answer.ts';

/** HTTP as it comes: static backends, Services, and whatever a request names. */
export const http = {
  prepare: (targeted: Targeted, services: Services): Prepared => {
    const exchange = toAgentRuntime(targeted, services);
    const { backend, request, cancellation } = exchange;
    const endpoint =
      backend.type === 'dynamic' ? namedDestination(exchange) : pickEndpoint(backend.endpoints, services.random);
    const authority = upstreamAuthority(exchange, endpoint);
    const sent = authority === request.authority ? exchange : { ...exchange, request: { ...request, authority } };
    if (request.upgrade === undefined || backend.protocol !== 'http') return { endpoint, exchange: sent };
    return {
      endpoint,
      exchange: sent,
      upgrade: request.upgrade,
      receive: (answer, upgraded) =>
        upgraded === undefined ? answer : upgradedAnswer(answer, upgraded, { cancellation }),
    };
  },
  send: ({ endpoint, upgrade, exchange: { request, rule, backend, cancellation, view, hint } }, services) => {
    const { dial, requestTimeout: ofBackend } = connection(backend.policies, view.references);
    const version = httpVersion({ backend, request, dial });
    const ofRule = milliseconds(rule.postRouting.timeouts?.backendRequest);
    // A zero in an HTTPRoute is no limit.
    const requestTimeout = ofBackend ?? (ofRule === 0 ? undefined : ofRule);
    return services.http.send({ endpoint, dial, version, request, requestTimeout, upgrade, cancellation, hint });
  },
} satisfies Backend;

/** HOST-004, HOST-005: the Host the endpoint gets, either its own or the one of the request. */
function upstreamAuthority(exchange: Targeted, endpoint: Endpoint): string {
  if (!rewritesHost(exchange, endpoint)) return exchange.request.authority;
  return endpointAuthority(endpoint, exchange.backend.policies.tls === undefined ? 'http' : 'https');
}

function rewritesHost({ rule, backend }: Routed & Targeted, endpoint: Endpoint): boolean {
  const { hostRewrite, urlRewrite } = rule.postRouting;
  // DFP-001: the Host is the destination already.
  if (backend.type === 'dynamic') return false;
  // A host that a filter of the route names is meant for the upstream.
  if (endpoint.kind === 'unix' || urlRewrite?.hostname !== undefined) return false;
  // HOST-006, HOST-007, HOST-008; docs/decisions/host-header.md
  if (hostRewrite === undefined) return backend.type !== 'service' && isHostname(endpoint);
  return hostRewrite.mode === 'Auto';
}
