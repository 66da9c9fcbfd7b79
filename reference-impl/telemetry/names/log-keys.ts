import { asMilliseconds } from '../../cel/results.ts';
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

/** Keys that only some entries have. */
export interface KeyGroup {
  readonly ofEntry: (entry: Entry) => boolean;
  readonly keys: readonly LogKey[];
}

/**
 * THE TABLE OF LOG KEYS: the default fields, in the order of an entry. `attributes.remove` names them (LOG-004). No field
 * holds a credential: what stands in the query of a path by such a name is hidden, and headers are no fields.
 * Most requests are of one kind, and are not asked for what only those of others have. docs/decisions/telemetry.md
 */
/** What all entries of a rule have in common, first in each. */
export const ROUTE_KEYS: readonly LogKey[] = [
  key('gateway', 'Gateway of the listener, `namespace/name`', ({ listener: { gateway } }) => nameOf(gateway)),
  key('listener', 'name of the listener', ({ listener }) => listener.name),
  key('route_rule', 'name of the rule, where it has one', ({ rule }) => rule?.route.rule),
  key('route', 'route, `namespace/name`', ({ rule }) => rule && nameOf(rule.route)),
];

/** The others, as far as an entry has them. */
export const OTHER_KEYS: readonly KeyGroup[] = [
  {
    ofEntry: () => true,
    keys: [
      key('endpoint', 'where the request was sent last, `host:port`', ({ record }) => record.endpoint),
      key(
        'src.addr',
        'address and port of the client',
        ({ exchange: { source } }) => `${source.address}:${source.port}`,
      ),
      key('src.identity', 'who the certificate of the client says it is: its SPIFFE id, or else its subject', identity),
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
    ],
  },
  {
    ofEntry: ({ record }) => record.agentCall !== undefined,
    keys: [
      key(
        'a2a.method',
        'method of a call of an agent; `unknown` where its body names none',
        ({ agent }) => agent.method,
      ),
      key(
        'a2a.response.outcome',
        '`success` or `error` of a JSON reply; `unknown` for one that is neither',
        ({ agent }) => agent.outcome,
      ),
      key('a2a.response.error_code', 'code of its error', ({ agent }) => agent.errorCode),
      key('a2a.result.kind', '`task`, `message`, or what the reply calls itself', ({ agent }) => agent.resultKind),
      key('a2a.task.state', 'state of the task', ({ agent }) => agent.taskState),
      key('a2a.context.id', 'conversation it belongs to', ({ agent }) => agent.contextId),
    ],
  },
  {
    ofEntry: ({ facts }) => facts.mcp !== undefined,
    keys: [
      key('mcp.method.name', 'method of an MCP message', ({ mcp }) => mcp.method),
      key('mcp.target', 'MCP server it is for, where it is for one', ({ mcp }) => mcp.target),
      key('mcp.resource.type', '`tool`, `prompt`, `resource` or `task`, where it is about one', ({ mcp }) => mcp.type),
      key('mcp.resource.uri', 'which resource', ({ mcp }) => nameOfItem(mcp, 'resource')),
      key('gen_ai.tool.name', 'which tool, as its server calls it', ({ mcp }) => nameOfItem(mcp, 'tool')),
      key('gen_ai.prompt.name', 'which prompt, as its server calls it', ({ mcp }) => nameOfItem(mcp, 'prompt')),
    ],
  },
  {
    ofEntry: ({ record }) => record.mcpError !== undefined,
    keys: [
      key('mcp.error.code', 'code of the JSON-RPC error the client was told', ({ mcpError }) => mcpError?.code),
      key('mcp.error.message', 'its first 256 characters', ({ mcpError }) => mcpError?.message),
    ],
  },
  {
    ofEntry: ({ facts }) => facts.llm !== undefined,
    keys: [
      key('gen_ai.operation.name', '`chat` or `embeddings`', (entry) => operationOf(entry)),
      key('gen_ai.provider.name', 'provider', ({ llm }) => textOf(llm['provider'])),
      key('gen_ai.request.model', 'model the client asked for', ({ llm }) => textOf(llm['requestModel'])),
      key('gen_ai.response.model', 'model that answered', ({ llm }) => textOf(llm['responseModel'])),
      key('gen_ai.usage.input_tokens', 'tokens of the prompt', ({ llm }) => numberOf(llm['inputTokens'])),
      key('gen_ai.usage.cache_creation.input_tokens', 'of them written to the cache', ({ llm }) =>
        numberOf(llm['cacheCreationInputTokens']),
      ),
      key('gen_ai.usage.cache_read.input_tokens', 'of them read from the cache', ({ llm }) =>
        numberOf(llm['cachedInputTokens']),
      ),
      key('gen_ai.usage.output_tokens', 'tokens of the answer', ({ llm }) => numberOf(llm['outputTokens'])),
      key('gen_ai.usage.reasoning_tokens', 'of them for reasoning', ({ llm }) => numberOf(llm['reasoningTokens'])),
      key('gen_ai.usage.output_image_tokens', 'of them for images', ({ llm }) => numberOf(llm['outputImageTokens'])),
      key('gen_ai.usage.input_audio_tokens', 'of the prompt, for sound', ({ llm }) =>
        numberOf(llm['inputAudioTokens']),
      ),
      key('gen_ai.usage.output_audio_tokens', 'of the answer, for sound', ({ llm }) =>
        numberOf(llm['outputAudioTokens']),
      ),
      key('proxy.ai.time_to_first_token', 'seconds to the first token of a stream', ({ llm }) =>
        secondsOf(llm['timeToFirstToken']),
      ),
      key('proxy.ai.time_per_output_token', 'seconds per token after it', ({ llm }) =>
        secondsOf(llm['timePerOutputToken']),
      ),
      key('proxy.ai.usage.cost.total', 'what the call cost, in dollars', ({ llm }) => costOf(llm['cost'])),
      key('gen_ai.embeddings.dimension.count', 'dimensions the client asked for', (entry) =>
        numberOf(paramOf(entry, 'dimensions')),
      ),
      key('gen_ai.request.temperature', 'what the client asked for, here and below', (entry) =>
        numberOf(paramOf(entry, 'temperature')),
      ),
      key('gen_ai.request.encoding_formats', 'a list of one', (entry) => listOf(paramOf(entry, 'encoding_format'))),
      ...['top_p', 'max_tokens', 'frequency_penalty', 'presence_penalty', 'seed'].map((name) =>
        key(`gen_ai.request.${name}`, 'a number', (entry) => numberOf(paramOf(entry, name))),
      ),
    ],
  },
  {
    ofEntry: () => true,
    keys: [
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
    ],
  },
];

/** Every row of it. */
export const LOG_KEYS: readonly LogKey[] = [...ROUTE_KEYS, ...OTHER_KEYS.flatMap(({ keys }) => keys)];

/** The default fields of an entry that have a value. */
export function logFields(entry: Entry): readonly Attribute[] {
  const fields: Attribute[] = [];
  const add = ({ name, value }: LogKey): void => {
    const held = value(entry);
    if (held !== undefined) fields.push([name, held]);
  };
  ROUTE_KEYS.forEach(add);
  for (const { ofEntry, keys } of OTHER_KEYS) if (ofEntry(entry)) keys.forEach(add);
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

function shownPath({ arrived: { target }, exchange }: Entry): string {
  return target.includes('?') ? withoutShownParameters(target, credentialPlaces(exchange)) : target;
}

function identity({ exchange }: Entry): string | undefined {
  const client = exchange.source.tls?.client;
  return client?.spiffeId ?? client?.subject;
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

/** What the client asked the model for, by the name it has in requests. */
function paramOf({ llm }: Entry, name: string): unknown {
  const params = llm['params'];
  return typeof params === 'object' && params !== null
    ? Object.getOwnPropertyDescriptor(params, name)?.value
    : undefined;
}

function listOf(value: unknown): readonly string[] | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : [text];
}

/** Of a duration as expressions see it. */
export function secondsOf(value: unknown): number | undefined {
  const milliseconds = asMilliseconds({ ok: true, value });
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A number; undefined for anything else. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
