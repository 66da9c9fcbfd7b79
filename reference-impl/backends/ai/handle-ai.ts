import { Buffer } from 'node:buffer';
import { ProxyError } from '../../base/proxy-error.ts';
import { bytesBody } from '../../base/read-body.ts';
import { requestVariables, splitTarget } from '../../exchange/request-state.ts';
import type { VariableSource } from '../../cel/program.ts';
import type { Targeted } from '../../exchange/exchange.ts';
import type { RouteType } from '../../resources/proxy-policy/fields/ai/backend-ai.ts';
import type { Services } from '../../upstream/services.ts';
import type { Backend, Prepared } from '../backend.ts';
import { http } from '../http.ts';
import { destinationOf, targetOf, untouchedTarget, withQuery, type Destination } from './destination.ts';
import { detected } from './detect.ts';
import type { Format, FormatName, Json } from './format.ts';
import { FORMATS } from './formats/registry.ts';
import { LlmCall } from './llm-call.ts';
import { policyBlock, type PolicyBlock } from './policy-block.ts';
import { readRequest, type LlmRequest } from './read-request.ts';
import { receive } from './reply.ts';
import { translationBetween, upstreamFormat } from './translate/preference.ts';
import { UnsupportedByFormat, type Translation } from './translate/translation.ts';

/**
 * LLM providers. What is spoken at the path decides how much of a request is understood: all of it in a format of its
 * own, its tokens only (Detect), or nothing (Passthrough).
 */
export const ai: Backend = {
  prepare: (exchange, services) => {
    const destination = destinationOf(exchange.backend);
    const block = policyBlock(exchange.backend.policies.ai);
    const type = block.routeType(splitTarget(exchange.request.target).path);
    return HANDLERS[type]({ ...exchange, backend: destination.backend }, destination, block, services);
  },
  send: http.send,
};

type Handle = (
  exchange: Targeted,
  destination: Destination,
  block: PolicyBlock,
  services: Services,
) => Prepared | Promise<Prepared>;

/** ROUTES-006 to ROUTES-016 */
const HANDLERS: Readonly<Record<RouteType, Handle>> = {
  Completions: inFormat('completions'),
  Messages: inFormat('messages'),
  Responses: inFormat('responses'),
  Embeddings: inFormat('embeddings'),
  Passthrough: untouched,
  Detect: async (exchange, destination, _, services) => detected(exchange, destination, services, untouched),
  Models: models,
  Vendor4TokenCount: notImplemented('Vendor4TokenCount'),
  Realtime: notImplemented('Realtime'),
  Rerank: notImplemented('Rerank'),
};

/** One request in a format that is understood, step by step. */
function inFormat(name: FormatName): Handle {
  const client = FORMATS[name];
  return async (exchange, destination, block, services) => {
    const read = await readRequest(exchange);
    const request = edited(exchange, read, destination, block);
    checkRequest(client, request);
    const named = normalised(withAlias(request, block), name, destination);
    const model = String(named['model']);
    const upstream = upstreamOf(name, model, destination);
    const enriched = client.enrich(named, block.prepend, block.append);
    const streaming = client.isStream(enriched);
    const translation = translationBetween(name, upstream);
    const { provider } = destination;
    const providerCall = { format: upstream, model, streaming };
    const translated = translatedRequest(enriched, translation);
    const body = provider.body?.(translated, providerCall) ?? translated;
    const call = new LlmCall({ provider: provider.name, streaming, model, request: enriched, format: client });
    const sent = withBody(exchange, read, body, targetOf(destination, providerCall, exchange.request.target));
    const ready = withCredential({ ...sent, facts: { ...sent.facts, llm: call } }, destination, upstream, model);
    const prepared = http.prepare(ready, services);
    const expected = { exchange: prepared.exchange, call, client, upstream: FORMATS[upstream], translation };
    return { ...prepared, receive: (answer) => receive(answer, expected) };
  };
}

/** The request with the model of the provider and the edits of the policy. */
function edited(exchange: Targeted, { json, bytes }: LlmRequest, { provider }: Destination, block: PolicyBlock): Json {
  const request =
    provider.model === undefined || provider.model === json['model'] ? json : { ...json, model: provider.model };
  return block.edit(request, fieldVariables(exchange, request, bytes));
}

/** XFORM-003: expressions see the request with its body, and the body as `llmRequest`. */
function fieldVariables(exchange: Targeted, llmRequest: Json, body: Uint8Array): VariableSource {
  const source = requestVariables(exchange);
  return (root) => {
    if (root === 'llmRequest') return llmRequest;
    const value = source(root);
    return root === 'request' && typeof value === 'object' && value !== null
      ? { ...value, body, bodyPrefix: body }
      : value;
  };
}

function checkRequest(client: Format, request: Json): void {
  const problem = client.requestProblem(request);
  if (problem !== undefined) throw new ProxyError('llmRequestInvalid', problem);
}

function withAlias(request: Json, block: PolicyBlock): Json {
  const model = request['model'];
  const name = typeof model === 'string' ? block.alias(model) : model;
  return name === model ? request : { ...request, model: name };
}

/** A stream of completions tells its tokens only when it is asked to; newer models know one limit under another name. */
function normalised(request: Json, format: FormatName, { settings }: Destination): Json {
  if (format !== 'completions') return request;
  const asked =
    request['stream'] === true && (request['stream_options'] === undefined || request['stream_options'] === null)
      ? { ...request, stream_options: { include_usage: true } }
      : request;
  const renamed = settings.vendor1 !== undefined || settings.vendor2 !== undefined || settings.vendor3 !== undefined;
  if (!renamed || !String(asked['model']).startsWith('gpt-') || asked['max_tokens'] === undefined) return asked;
  const { max_tokens: limit, ...rest } = asked;
  return { max_completion_tokens: limit, ...rest };
}

/** PROV-034, PROV-035 */
function upstreamOf(client: FormatName, model: string, { provider }: Destination): FormatName {
  const format = upstreamFormat(client, provider.formats(model));
  if (format !== undefined) return format;
  throw new ProxyError('llmRequestInvalid', `the provider does not take ${client} requests for this model`);
}

function translatedRequest(request: Json, translation: Translation | undefined): Json {
  if (translation === undefined) return request;
  try {
    return translation.request(request);
  } catch (error) {
    if (error instanceof UnsupportedByFormat) throw new ProxyError('llmRequestInvalid', error.message);
    throw error;
  }
}

/** A body nobody changed goes out byte for byte. The reply is to be read, so it comes without encoding. */
function withBody(exchange: Targeted, read: LlmRequest, body: Json, target: string): Targeted {
  const bytes = body === read.json ? read.bytes : Buffer.from(JSON.stringify(body));
  const { request } = exchange;
  const headers = request.headers.remove('content-encoding', 'accept-encoding');
  const typed = body === read.json ? headers : headers.set('content-type', 'application/json');
  return { ...exchange, request: { ...request, target, headers: typed, body: bytesBody(bytes) } };
}

/** ROUTES-009: as it is, but for its host and the form of the credential. */
function untouched(exchange: Targeted, destination: Destination, _: PolicyBlock, services: Services): Prepared {
  const { request } = exchange;
  const target = untouchedTarget(destination, request.target);
  return http.prepare(
    withCredential({ ...exchange, request: { ...request, target } }, destination, undefined, undefined),
    services,
  );
}

/** ROUTES-008: the provider's own list of its models. */
function models(exchange: Targeted, destination: Destination, _: PolicyBlock, services: Services): Prepared {
  const { request } = exchange;
  const path = `${destination.provider.base ?? '/v1'}/models`;
  const target = destination.settings.path ?? withQuery(path, splitTarget(request.target).query);
  return http.prepare(
    withCredential({ ...exchange, request: { ...request, target } }, destination, undefined, undefined),
    services,
  );
}

function notImplemented(type: RouteType): Handle {
  return () => {
    throw new ProxyError('llmRouteUnsupported', type);
  };
}

function withCredential(
  exchange: Targeted,
  { provider }: Destination,
  format: FormatName | undefined,
  model: string | undefined,
): Targeted {
  if (provider.headers === undefined) return exchange;
  const placed = exchange.backend.policies.auth?.location !== undefined;
  const headers = provider.headers(exchange.request.headers, { format, model, placed });
  return { ...exchange, request: { ...exchange.request, headers } };
}
