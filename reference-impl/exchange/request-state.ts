import type { VariableSource } from '../cel/compile.ts';
import type { RequestState } from '../trace/events.ts';
import type { Answer, Listened, Received, Request, Routed, Source, Targeted } from './exchange.ts';
import type { Facts } from './facts.ts';

/*
 * ONE description of what is known about a request: expressions read it a root at a time, trace snapshots as a whole.
 * A root is undefined until the stage that knows it (TRACE-022, TRACE-023).
 */

/** What expressions of the request side can name. Each root is built when it is asked for. */
export function requestVariables(exchange: Received): VariableSource {
  return (root) => ROOTS.get(root)?.(exchange, undefined);
}

/** What expressions of the response side can name: the same, and the answer. */
export function answerVariables(exchange: Received, answer: Answer): VariableSource {
  return (root) => ROOTS.get(root)?.(exchange, answer);
}

/** The same; each root is built once, however many expressions name it. */
export function rememberRoots(source: VariableSource): VariableSource {
  // Many expressions name no root at all, so the table is made with the first.
  let built: Map<string, unknown> | undefined;
  return (root) => {
    built ??= new Map();
    if (!built.has(root)) built.set(root, source(root));
    return built.get(root);
  };
}

/** Everything known at this moment, for a snapshot: roots that do not exist yet are left out. */
export function requestState(exchange: Received, answer?: Answer): RequestState {
  const state: Record<string, unknown> = {};
  for (const [root, describe] of ROOTS) {
    const value = describe(exchange, answer);
    if (value !== undefined) state[root] = value;
  }
  return state;
}

/** The text `host[:port]` without its port; an IPv6 literal keeps its brackets. */
export function hostWithoutPort(authority: string): string {
  const colon = authority.lastIndexOf(':');
  return colon < 0 || authority.endsWith(']') ? authority : authority.slice(0, colon);
}

/** Path and query of a request target; the query is without its `?`. */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const mark = target.indexOf('?');
  return mark < 0 ? { path: target, query: '' } : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

type Describe = (exchange: Received, answer: Answer | undefined) => unknown;

/** Every fact is a root of its name. */
const FACTS: Readonly<Record<keyof Facts, (facts: Facts) => unknown>> = {
  jwt: ({ jwt }) => jwt,
  apiKey: ({ apiKey }) => apiKey,
  basicAuth: ({ basicAuth }) => basicAuth,
  extauthz: ({ extauthz }) => extauthz,
  extproc: ({ extproc }) => extproc,
  llm: ({ llm }) => llm?.(),
  mcp: ({ mcp }) => mcp?.(),
  mcpGuardrails: ({ mcpGuardrails }) => mcpGuardrails?.(),
  metadata: ({ metadata }) => metadata,
};

const ROOTS: ReadonlyMap<string, Describe> = new Map<string, Describe>([
  ['request', ({ request }) => describeRequest(request)],
  ['response', (_, answer) => answer && describeResponse(answer)],
  ['source', ({ source }) => describeSource(source)],
  ['destination', ({ source }) => describeDestination(source)],
  ['env', (exchange) => (isListened(exchange) ? describeEnvironment(exchange) : undefined)],
  ['proxy', (exchange, answer) => (isListened(exchange) ? describeProxy(exchange, answer) : undefined)],
  ['backend', (exchange) => (isTargeted(exchange) ? describeBackend(exchange) : undefined)],
  ...Object.entries(FACTS).map(([root, fact]): [string, Describe] => [root, ({ facts }) => fact(facts)]),
]);

/** What expressions about a connection can name, when nothing else is known yet. */
export function connectionVariables(source: Source): VariableSource {
  return (root) => CONNECTION.get(root)?.(source);
}

const CONNECTION: ReadonlyMap<string, (source: Source) => unknown> = new Map([
  ['source', describeSource],
  ['destination', describeDestination],
]);

function describeSource({ address, port, raw = { address, port }, connectHeaders, tls }: Source): object {
  return {
    address,
    port,
    rawAddress: raw.address,
    rawPort: raw.port,
    ...(connectHeaders && { connectHeaders: connectHeaders.view() }),
    ...tls?.client,
  };
}

/** Our end of the connection, and the server that the client named in its handshake. */
function describeDestination({ local, tls }: Source): object | undefined {
  if (local === undefined) return undefined;
  const { serverName = '' } = tls ?? {};
  return { ...local, ...(serverName === '' ? {} : { hostname: serverName }) };
}

// TRACE-025, TRACE-026: `host` is what the client sent, port included.
function describeRequest(request: Request): object {
  return {
    method: request.method,
    uri: `${request.scheme}://${request.authority}${request.target}`,
    path: splitTarget(request.target).path,
    pathAndQuery: request.target,
    host: request.authority,
    scheme: request.scheme,
    version: request.version,
    headers: request.headers.view(),
  };
}

function describeResponse({ status, headers }: Answer): object {
  return { code: status, headers: headers.view() };
}

function describeEnvironment({ listener }: Listened): object {
  return { namespace: listener.gateway.namespace, gateway: listener.gateway.name };
}

function describeProxy(exchange: Listened, answer: Answer | undefined): object {
  const { gateway, name } = exchange.listener;
  return {
    gateway: { namespace: gateway.namespace, name: gateway.name },
    listener: { name },
    ...(isRouted(exchange) ? { route: describeRoute(exchange) } : {}),
    ...(answer?.timings === undefined
      ? {}
      : {
          requestProcessingDuration: seconds(answer.timings.requestProcessing),
          upstreamDuration: seconds(answer.timings.upstream),
        }),
  };
}

function describeRoute({ rule: { route } }: Routed): object {
  const { kind, namespace, name, rule } = route;
  return rule === undefined ? { kind, namespace, name } : { kind, namespace, name, rule };
}

// TRACE-032..034
function describeBackend({ backend }: Targeted): object {
  return { name: backend.name, type: backend.type, protocol: backend.protocol };
}

/** TRACE-029, TRACE-030: decimal seconds with the suffix `s`, to the microsecond. */
function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(6)}s`;
}

function isListened(exchange: Received): exchange is Listened {
  return 'listener' in exchange;
}

function isRouted(exchange: Received): exchange is Routed {
  return 'rule' in exchange;
}

function isTargeted(exchange: Received): exchange is Targeted {
  return 'backend' in exchange;
}
