import { toBinary } from '@bufbuild/protobuf';
import type { BackendView, PolicyReferences, UnresolvedBackend } from '../../attachment/view.ts';
import type { Origin } from '../../attachment/policies/effective-policy.ts';
import { Cancellation } from '../../base/cancellation.ts';
import { HeaderMap } from '../../base/headers.ts';
import { bytesBody } from '../../base/read-body.ts';
import type { Request } from '../../exchange/exchange.ts';
import type { BackendObjectReference } from '../../resources/references.ts';
import type { Callers } from '../../upstream/callers.ts';
import { connection } from '../../upstream/connection.ts';
import { endpointAuthority, pickEndpoint } from '../../upstream/endpoints.ts';
import { httpVersion } from '../../upstream/http-version.ts';
import {
  ExportLogsServiceRequestSchema,
  LogsService,
  type ExportLogsServiceRequest,
} from '../../upstream/wire/otlp_logs_pb.js';
import {
  ExportTraceServiceRequestSchema,
  TraceService,
  type ExportTraceServiceRequest,
} from '../../upstream/wire/otlp_trace_pb.js';

/** Where records go, as the policy says it. */
export interface Destination {
  readonly backendRef: BackendObjectReference;
  readonly origin: Origin;
  readonly protocol: 'HTTP' | 'GRPC';
  /** Over HTTP. */
  readonly path: string;
}

/** What one kind of record is sent as. */
export type Batch =
  | { readonly signal: 'logs'; readonly message: ExportLogsServiceRequest }
  | { readonly signal: 'traces'; readonly message: ExportTraceServiceRequest };

/** Milliseconds a collector has for its answer when its own policies do not say. */
const PATIENCE = 10_000;

/** Sends one batch and waits for the answer; rejects when the collector did not take it. */
export async function send(
  batch: Batch,
  { backendRef, origin, protocol, path }: Destination,
  references: PolicyReferences,
  callers: Callers,
): Promise<void> {
  const backend = usable(references.backend(backendRef, origin));
  // LOG-011, OTEL-002
  if (protocol === 'GRPC') await overGrpc(batch, backend, references, callers);
  else await overHttp(batch, backend, references, { callers, path });
}

function usable(backend: BackendView | UnresolvedBackend): BackendView {
  if ('unresolved' in backend) throw new Error(backend.message);
  return backend;
}

async function overGrpc(
  batch: Batch,
  backend: BackendView,
  references: PolicyReferences,
  { grpc, random }: Callers,
): Promise<void> {
  const endpoint = pickEndpoint(backend.endpoints, random);
  const { dial, requestTimeout = PATIENCE } = connection(backend.policies, references);
  const options = { timeoutMs: requestTimeout };
  if (batch.signal === 'logs') await grpc.clientFor(LogsService, endpoint, dial).export(batch.message, options);
  else await grpc.clientFor(TraceService, endpoint, dial).export(batch.message, options);
}

/** LOG-012, LOG-013, OTEL-003, OTEL-004: binary protobuf to the path. */
async function overHttp(
  batch: Batch,
  backend: BackendView,
  references: PolicyReferences,
  { callers: { http, random }, path }: { readonly callers: Callers; readonly path: string },
): Promise<void> {
  const endpoint = pickEndpoint(backend.endpoints, random);
  const { dial, requestTimeout = PATIENCE } = connection(backend.policies, references);
  const scheme = dial.tls === undefined ? 'http' : 'https';
  const bytes = encode(batch);
  const request: Request = {
    method: 'POST',
    scheme,
    version: 'HTTP/1.1',
    authority: endpointAuthority(endpoint, scheme),
    target: path,
    headers: HeaderMap.of([
      ['content-type', 'application/x-protobuf'],
      ['content-length', String(bytes.length)],
    ]),
    body: bytesBody(bytes),
  };
  const { status, body } = await http.send({
    endpoint,
    dial,
    version: httpVersion({ backend, request, dial }),
    request,
    requestTimeout,
    cancellation: new Cancellation(),
  });
  // A collector says little; one that says much is not listened to.
  for (let read = 0; read < MOST_ANSWER;) {
    const chunk = await body?.read();
    if (chunk === undefined) break;
    read += chunk.byteLength;
  }
  body?.cancel();
  if (status < 200 || status > 299) throw new Error(`the collector answered ${status}`);
}

const MOST_ANSWER = 64 * 1024;

function encode(batch: Batch): Uint8Array {
  if (batch.signal === 'logs') return toBinary(ExportLogsServiceRequestSchema, batch.message);
  return toBinary(ExportTraceServiceRequestSchema, batch.message);
}
