import { credentialPlaces } from '../../exchange/credential-places.ts';
import { hostWithoutPort } from '../../exchange/request-state.ts';
import { withoutShownParameters } from '../../trace/credentials.ts';
import type { Attribute, AttributeValue } from '../attributes.ts';
import type { Entry } from '../entry.ts';
import type { McpAsked } from './mcp-asked.ts';

/** One default field of log entries and spans. */
export interface LogKey {
  readonly name: string;
  /** What it says, for the documentation. */
  readonly text: string;
  /** Undefined where there is nothing to say: the field is left out. */
  readonly value: (entry: Entry) => AttributeValue | undefined;
}

/**
 * THE TABLE OF LOG KEYS: the default fields, in the order of an entry. `attributes.remove` names them (LOG-004). No field
 * holds a credential: what stands in the query of a path by such a name is hidden, and headers are no fields.
 * docs/decisions/telemetry.md
 */
export const LOG_KEYS: readonly LogKey[] = [
  key('gateway', 'Gateway of the listener, `namespace/name`', ({ listener: { gateway } }) => nameOf(gateway)),
  key('listener', 'name of the listener', ({ listener }) => listener.name),
  key('route_rule', 'name of the rule, where it has one', ({ rule }) => rule?.route.rule),
  key('route', 'route, `namespace/name`', ({ rule }) => rule && nameOf(rule.route)),
  key('endpoint', 'where the request was sent last, `host:port`', ({ record }) => record.endpoint),
  key('src.addr', 'address and port of the client', ({ exchange: { source } }) => `${source.address}:${source.port}`),
  key('http.method', 'method', ({ arrived }) => arrived.method),
  key('http.host', 'host the client asked for, without port', ({ arrived }) => hostWithoutPort(arrived.authority)),
  key('http.path', 'path and query as the client sent them; credentials in the query are hidden', shownPath),
  key('http.version', 'version of HTTP the client spoke', ({ arrived }) => arrived.version),
  key('http.status', 'status of the answer', ({ answer }) => answer.status),
  key('grpc.status', 'status of a gRPC answer', ({ answer }) => grpcStatus(answer.headers.get('grpc-status'))),
  key('trace.id', 'id of the trace, of a sampled request', ({ record }) => record.trace?.traceId),
  key('span.id', 'id of the span, of a sampled request', ({ record }) => record.trace?.spanId),
  key('jwt.sub', 'subject of the accepted token', ({ facts }) => textOf(facts.jwt?.['sub'])),
  key(
    'protocol',
    '`http`, `llm` for a call to a provider, `mcp` or `a2a`',
    ({ backend }) => backend && protocolOf(backend.protocol),
  ),
  key('mcp.method.name', 'method of an MCP message', ({ mcp }) => mcp().method),
  key('mcp.target', 'MCP server it is for, where it is for one', ({ mcp }) => mcp().target),
  key('mcp.resource.type', '`tool`, `prompt`, `resource` or `task`, where it is about one', ({ mcp }) => mcp().type),
  key('mcp.resource.uri', 'which resource', ({ mcp }) => nameOfItem(mcp(), 'resource')),
  key('gen_ai.tool.name', 'which tool, as its server calls it', ({ mcp }) => nameOfItem(mcp(), 'tool')),
  key('gen_ai.prompt.name', 'which prompt, as its server calls it', ({ mcp }) => nameOfItem(mcp(), 'prompt')),
  key('gen_ai.operation.name', '`chat` or `embeddings`', (entry) => operationOf(entry)),
  key('gen_ai.provider.name', 'provider', ({ llm }) => textOf(llm()['provider'])),
  key('gen_ai.request.model', 'model the client asked for', ({ llm }) => textOf(llm()['requestModel'])),
  key('gen_ai.response.model', 'model that answered', ({ llm }) => textOf(llm()['responseModel'])),
  key('gen_ai.usage.input_tokens', 'tokens of the prompt', ({ llm }) => numberOf(llm()['inputTokens'])),
  key('gen_ai.usage.cache_creation.input_tokens', 'of them written to the cache', ({ llm }) =>
    numberOf(llm()['cacheCreationInputTokens']),
  ),
  key('gen_ai.usage.cache_read.input_tokens', 'of them read from the cache', ({ llm }) =>
    numberOf(llm()['cachedInputTokens']),
  ),
  key('gen_ai.usage.output_tokens', 'tokens of the answer', ({ llm }) => numberOf(llm()['outputTokens'])),
  key('gen_ai.usage.reasoning_tokens', 'of them for reasoning', ({ llm }) => numberOf(llm()['reasoningTokens'])),
  key('proxy.ai.usage.cost.total', 'what the call cost, in dollars', ({ llm }) => costOf(llm()['cost'])),
  key('retry.attempt', 'number of the last attempt, of a request that was sent again', ({ record }) =>
    record.attempts > 1 ? record.attempts - 1 : undefined,
  ),
  key('error', 'why the backend did not answer, or not in full', ({ error }) => error),
  key('reason', 'the policy that answered, or the failure; nothing for an answer of the backend', ({ reason }) =>
    reason === 'Upstream' ? undefined : reason,
  ),
  key(
    'duration',
    'milliseconds from the request to the end of the answer',
    ({ duration }) => `${Math.round(duration)}ms`,
  ),
];

/** The default fields of an entry that have a value. */
export function logFields(entry: Entry): readonly Attribute[] {
  const fields: Attribute[] = [];
  for (const { name, value } of LOG_KEYS) {
    const held = value(entry);
    if (held !== undefined) fields.push([name, held]);
  }
  return fields;
}

function key(name: string, text: string, value: LogKey['value']): LogKey {
  return { name, text, value };
}

function nameOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

function nameOfItem({ type, name }: McpAsked, wanted: string): string | undefined {
  return type === wanted ? name : undefined;
}

function shownPath({ arrived, exchange }: Entry): string {
  return withoutShownParameters(arrived.target, credentialPlaces(exchange));
}

function grpcStatus(text: string | undefined): number | undefined {
  return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
}

/** `http`, `llm`, or the name of the protocol. */
export function protocolOf(protocol: string): string {
  return protocol === 'ai' ? 'llm' : protocol;
}

/** What a call to a provider is for; undefined for any other request. */
export function operationOf({ facts, arrived }: Entry): string | undefined {
  if (facts.llm === undefined) return undefined;
  return arrived.target.split('?', 1)[0]?.endsWith('/embeddings') === true ? 'embeddings' : 'chat';
}

/** Dollars in all, of a cost as expressions see it; undefined where nothing has a price. */
export function costOf(cost: unknown): number | undefined {
  return typeof cost === 'object' && cost !== null && 'total' in cost ? numberOf(cost.total) : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A number; undefined for anything else. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
