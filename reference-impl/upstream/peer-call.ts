import type { DescService } from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';
import type { BackendView } from '../attachment/view.ts';
import type { Cancellation } from '../base/cancellation.ts';
import type { Received, Request } from '../exchange/exchange.ts';
import type { Callers } from './callers.ts';
import { connection, milliseconds } from './connection.ts';
import { reportedCall, type Scope } from '../trace/nested-call.ts';
import { endpointAuthority, endpointText, pickEndpoint } from './endpoints.ts';
import type { Response } from './http-call.ts';
import { httpVersion } from './http-version.ts';
import { reportedTransport } from './reported-transport.ts';

/*
 * How a policy calls a server of its own (authorization, rate limits, processing, key sets): the way every backend is
 * called, with the connection settings that are attached to that server (JWT-014).
 */

/** Milliseconds a server of a policy has for the head of its answer when its own policies do not say. */
const PATIENCE = 10_000;

/** What is asked; the server's own address stands in for the authority when there is none. */
export type PeerRequest = Pick<Request, 'method' | 'target' | 'headers' | 'body'> & {
  readonly authority?: string;
};

export interface PeerOptions {
  /** Ends the call; the exchange's own cancellation when absent. */
  readonly cancellation?: Cancellation;
  /** Milliseconds until the head of the answer must be there, unless the server's policies say something else. */
  readonly timeout?: number;
  /** What the trace of the request says the call is for; without it the call is nobody's request and stays untold. */
  readonly scope?: Scope;
}

/** Sends one request. Rejects with a ProxyError as HttpClient does, and with noHealthyBackends when there is no endpoint. */
export async function callHttp(
  exchange: Received,
  backend: BackendView,
  request: PeerRequest,
  callers: Callers,
  options: PeerOptions = {},
): Promise<Response> {
  const endpoint = pickEndpoint(backend.endpoints, callers.random);
  const { dial, requestTimeout } = connection(backend.policies, exchange.view.references);
  const scheme = dial.tls === undefined ? 'http' : 'https';
  const sent: Request = { scheme, version: 'HTTP/1.1', authority: endpointAuthority(endpoint, scheme), ...request };
  const call = (): Promise<Response> =>
    callers.http.send({
      endpoint,
      dial,
      version: httpVersion({ backend, request: sent, dial }),
      request: sent,
      requestTimeout: requestTimeout ?? options.timeout ?? PATIENCE,
      cancellation: options.cancellation ?? exchange.cancellation,
    });
  if (options.scope === undefined) return call();
  return reportedCall(
    exchange,
    options.scope,
    { target: endpointText(endpoint), request: sent },
    call,
    ({ status }) => status,
  );
}

/** A client of a gRPC service of the backend; its calls are told to the trace. Throws noHealthyBackends when there is no endpoint. */
export function grpcClient<Service extends DescService>(
  service: Service,
  exchange: Received,
  backend: BackendView,
  callers: Callers,
): Client<Service> {
  const endpoint = pickEndpoint(backend.endpoints, callers.random);
  const { dial } = connection(backend.policies, exchange.view.references);
  const scope = SCOPES[service.typeName];
  const isTold = exchange.trace.active || exchange.record !== undefined;
  if (scope === undefined || !isTold) return callers.grpc.clientFor(service, endpoint, dial);
  return callers.grpc.clientFor(service, endpoint, dial, (transport) =>
    reportedTransport(transport, exchange, scope, endpoint),
  );
}

/** What the trace says of the services that policies call. */
const SCOPES: Readonly<Record<string, Scope>> = {
  'envoy.service.auth.v3.Authorization': 'ext_authz',
  'envoy.service.ext_proc.v3.ExternalProcessor': 'ext_proc',
  'envoy.service.ratelimit.v3.RateLimitService': 'rate_limit',
  'proxy.ext_mcp.v1.ExtMcp': 'guardrail',
};

/** Milliseconds a gRPC call to the backend may take (`timeoutMs` of a call). */
export function grpcTimeout(backend: BackendView, usual = PATIENCE): number {
  return milliseconds(backend.policies.http?.requestTimeout) ?? usual;
}

/** For libraries that want an AbortSignal: aborted, with the reason, when the cancellation happens. */
export function signalOf(cancellation: Cancellation): { readonly signal: AbortSignal; readonly release: () => void } {
  const controller = new AbortController();
  const release = cancellation.onCancel((reason) => {
    controller.abort(reason);
  });
  return { signal: controller.signal, release };
}
