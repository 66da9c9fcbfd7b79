/** One metric. Its name ends in its unit, as the text format wants it. */
export interface MetricRow {
  readonly name: string;
  readonly type: 'counter' | 'histogram' | 'gauge';
  readonly text: string;
  readonly labels: readonly string[];
  /** Upper bounds of the buckets of a histogram. */
  readonly buckets?: readonly number[];
}

const HTTP_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 80] as const;
const PROCESSING_BUCKETS = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
] as const;
const FIRST_TOKEN_BUCKETS = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
] as const;
const PER_TOKEN_BUCKETS = [
  0.001, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5,
] as const;
const LLM_BUCKETS = Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power);
const TOKEN_BUCKETS = Array.from({ length: 14 }, (_, power) => 4 ** power);

/** Where a request went. A value that is not known is `unknown`. */
const ROUTE = ['gateway', 'listener', 'route', 'route_rule'] as const;
const REQUEST = ['backend', 'protocol', 'method', 'status', 'reason', 'bind', ...ROUTE] as const;
const LLM = [
  'gen_ai_operation_name',
  'gen_ai_system',
  'gen_ai_request_model',
  'gen_ai_response_model',
  ...ROUTE,
] as const;
const CONNECT_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 8] as const;
const HANDSHAKE_BUCKETS = [...CONNECT_BUCKETS, 10] as const;
const CONNECTION = ['bind', 'gateway', 'listener', 'protocol'] as const;

/**
 * THE TABLE OF METRICS. Labels that `metrics.attributes` adds stand on every series of every metric but the last two, which
 * are about the proxy and not about requests (METRIC-002). docs/decisions/telemetry.md
 */
export const METRICS = {
  requests: counter('proxy_requests_total', REQUEST, 'Requests that were answered.'),
  duration: histogram(
    'proxy_request_duration_seconds',
    REQUEST,
    HTTP_BUCKETS,
    'From the request to the end of its answer.',
  ),
  bytes: counter('proxy_response_bytes_total', REQUEST, 'Bytes of bodies that clients were sent.'),
  processing: histogram(
    'proxy_request_processing_seconds',
    REQUEST,
    PROCESSING_BUCKETS,
    'From the request to when it was sent to the backend, where it was.',
  ),
  responseProcessing: histogram(
    'proxy_response_processing_seconds',
    REQUEST,
    PROCESSING_BUCKETS,
    'From the head of the answer of the backend to when it was ready for the client.',
  ),
  connects: histogram(
    'proxy_upstream_connect_duration_seconds',
    ['transport'],
    CONNECT_BUCKETS,
    'Connections to servers until they were ready: plaintext, tls, tunnel (through a proxy server) or tunnel-tls.',
  ),
  calls: histogram(
    'proxy_upstream_call_duration_seconds',
    ['kind', 'subtype', 'status', ...ROUTE],
    HTTP_BUCKETS,
    'Calls to backends (Primary), for policies (Policy) and of mirrors (Mirror), to the head of the answer.',
  ),
  retries: counter('proxy_retries_total', ROUTE, 'Attempts after the first.'),
  answers: counter(
    'proxy_policy_answers_total',
    ['policy', 'status', ...ROUTE],
    'Requests that a policy answered instead of the backend.',
  ),
  mcp: counter(
    'proxy_mcp_requests_total',
    ['method', 'resource_type', 'server', 'resource', ...ROUTE],
    'Messages of MCP clients, notifications too; server and resource of those that are about one.',
  ),
  checks: counter(
    'proxy_guardrail_checks_total',
    ['phase', 'action', ...ROUTE],
    'Verdicts of prompt guards on requests and responses: pass, mask, reject, or failed where there was none.',
  ),
  tokens: histogram(
    'gen_ai_client_token_usage',
    ['gen_ai_token_type', ...LLM],
    TOKEN_BUCKETS,
    'Tokens of calls to providers: input, output, input_cache_read, input_cache_write.',
  ),
  cost: counter('gen_ai_client_cost_usd_total', LLM, 'Dollars that calls cost, where a catalog has a price.'),
  catalog: counter(
    'proxy_cost_catalog_lookups_total',
    ['status', ...LLM],
    'Calls whose price was looked for: exact, unpriced (no rate for something that was used), missing (the model), noCatalog.',
  ),
  llmDuration: histogram('gen_ai_server_request_duration', LLM, LLM_BUCKETS, 'Seconds of a call to a provider.'),
  firstToken: histogram(
    'gen_ai_server_time_to_first_token',
    LLM,
    FIRST_TOKEN_BUCKETS,
    'Seconds from the request to the first token of a stream.',
  ),
  perToken: histogram(
    'gen_ai_server_time_per_output_token',
    LLM,
    PER_TOKEN_BUCKETS,
    'Seconds per token after the first of a stream.',
  ),
  connections: counter('proxy_downstream_connections_total', CONNECTION, 'Connections of clients that are over.'),
  received: counter('proxy_downstream_received_bytes_total', CONNECTION, 'Bytes that clients sent on them.'),
  sent: counter('proxy_downstream_sent_bytes_total', CONNECTION, 'Bytes that clients were sent on them.'),
  handshakes: histogram(
    'proxy_tls_handshake_duration_seconds',
    ['result', ...CONNECTION],
    HANDSHAKE_BUCKETS,
    'TLS handshakes of clients, ok or failed.',
  ),
  build: {
    name: 'proxy_build_info',
    type: 'gauge',
    labels: ['tag'],
    text: 'Always 1; the label is the version of the proxy.',
  },
  dropped: counter('proxy_telemetry_dropped_total', ['output'], 'Log entries, spans and series that nobody got.'),
} as const satisfies Readonly<Record<string, MetricRow>>;

function counter(name: string, labels: readonly string[], text: string): MetricRow {
  return { name, type: 'counter', labels, text };
}

function histogram(name: string, labels: readonly string[], buckets: readonly number[], text: string): MetricRow {
  return { name, type: 'histogram', labels, buckets, text };
}
