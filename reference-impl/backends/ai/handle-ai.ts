import { Buffer } from 'node:buffer';
import { ProxyError } from '../../base/proxy-error.ts';
import { bytesBody } from '../../base/read-body.ts';
import { splitTarget } from '../../exchange/request-state.ts';
import type { Targeted } from '../../exchange/exchange.ts';
import type { RouteType } from '../../resources/proxy-policy/fields/ai/backend-ai.ts';
import type { Services } from '../../credentials/services.ts';
import type { Backend, Decided, Prepared } from '../backend.ts';
import { http } from '../http.ts';
import { backendFor, destinationOf, targetOf, untouchedTarget, withQuery, type Destination } from './destination.ts';
import { detected } from './detect.ts';
import type { Format, FormatName, Json, UpstreamFormatName } from './format.ts';
import { FORMATS, UPSTREAM_FORMATS } from './formats/registry.ts';
import { promptGuards, type PromptGuards } from './guards/guards.ts';
import { guardRequest } from './guards/run-guards.ts';
import { LlmCall, withCall } from './llm-call.ts';
import { answeredHere } from './answered-here.ts';
import { llmVariables } from './llm-variables.ts';
import { modelInPath } from './model-in-path.ts';
import { typeAt } from './models/served-paths.ts';
import { withModel } from './models/with-model.ts';
import { policyBlock, type PolicyBlock } from './policy-block.ts';
import { readRequest, type LlmRequest } from './read-request.ts';
import { realtime } from './realtime/realtime.ts';
import { receive } from './reply.ts';
import { withCachePoints } from './translate/converse/prompt-caching.ts';
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
    const type = spoken(exchange, block);
    const targeted = identified({ ...exchange, backend: destination.backend }, destination);
    // A virtual model has chosen the name.
    const { model } = destination.provider;
    if (exchange.backend.model === undefined || model === undefined)
      return HANDLERS[type](targeted, destination, block, services);
    return withModel(targeted, model).then((named) => HANDLERS[type](named, destination, block, services));
  },
  send: http.send,
};

/** The provider's own host is shown who calls, in the way it wants, even when no policy says so. */
function identified(exchange: Targeted, { provider, settings }: Destination): Targeted {
  const { handover, backend } = exchange;
  const unknown = handover.sign === undefined && backend.policies.auth === undefined && settings.host === undefined;
  const { sign } = provider;
  return unknown && sign !== undefined ? { ...exchange, handover: { ...handover, sign } } : exchange;
}

/** For a model the path alone says what is spoken. */
function spoken(exchange: Targeted, block: PolicyBlock): RouteType {
  if (exchange.backend.model !== undefined) return typeAt(splitTarget(exchange.request.target).path);
  return block.routeType(splitTarget(exchange.request.target).path);
}

type Handle = (
  exchange: Targeted,
  destination: Destination,
  block: PolicyBlock,
  services: Services,
) => Prepared | Decided | Promise<Prepared | Decided>;

/** ROUTES-006 to ROUTES-016 */
const HANDLERS: Readonly<Record<RouteType, Handle>> = {
  Completions: inFormat('completions'),
  Messages: inFormat('messages'),
  Responses: inFormat('responses'),
  Embeddings: inFormat('embeddings'),
  Passthrough: untouched,
  Detect: async (exchange, destination, _, services) => detected(exchange, destination, services, untouched),
  Models: models,
  Vendor4TokenCount: inFormat('token-count'),
  Realtime: (exchange, destination, block, services) =>
    realtime(exchange, destination, block, services, withCredential),
  Rerank: inFormat('rerank'),
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
    const upstream = upstreamOf(client, model, destination);
    const enriched = client.enrich(named, block.prepend, block.append);
    const guards = promptGuards(exchange.backend.policies);
    const guarded = await guardRequest(guards.request, client, { exchange, services, llmRequest: enriched });
    if ('answer' in guarded) return { exchange, answer: guarded.answer };
    const asked = { read, client, model, request: guarded.json, guards };
    if (upstream === undefined) return answeredHere(exchange, destination, client, asked.request, model);
    return sentAs(upstream, asked, exchange, destination, block, services);
  };
}

/** What the client asks for, after everything that the policies say about it. */
interface Asked {
  readonly read: LlmRequest;
  readonly client: Format;
  readonly model: string;
  readonly request: Json;
  readonly guards: PromptGuards;
}

/** The request in the format of the provider, and how its reply is understood. */
function sentAs(
  upstream: UpstreamFormatName,
  { read, client, model, request, guards }: Asked,
  exchange: Targeted,
  destination: Destination,
  block: PolicyBlock,
  services: Services,
): Prepared {
  const { provider } = destination;
  const streaming = client.isStream(request);
  const translation = translationBetween(client.name, upstream);
  const providerCall = { format: upstream, model, streaming };
  const translated = translatedRequest(request, translation);
  const marked = upstream === 'converse' ? withCachePoints(translated, model, block.promptCaching) : translated;
  const body = provider.body?.(marked, providerCall, exchange.request.headers) ?? marked;
  const call = new LlmCall({ provider: provider.name, streaming, model, request, format: client }, exchange);
  const reached = { ...exchange, backend: backendFor(destination, upstream) };
  const sent = withBody(reached, read, body, targetOf(destination, providerCall, exchange.request.target));
  const ready = withCredential(withCall(sent, call), destination, upstream, model);
  const prepared = http.prepare(ready, services);
  const guarding = { guards, context: { exchange: prepared.exchange, services, llmRequest: request } };
  const sides = { client, upstream: UPSTREAM_FORMATS[upstream], translation };
  const expected = { exchange: prepared.exchange, call, request, ...sides, guarding };
  return { ...prepared, receive: (answer) => receive(answer, expected) };
}

/** The request with the model of the provider and the edits of the policy. */
function edited(exchange: Targeted, { json, bytes }: LlmRequest, { provider }: Destination, block: PolicyBlock): Json {
  const model = provider.model ?? json['model'];
  const asked = typeof model === 'string' ? model : (modelInPath(splitTarget(exchange.request.target).path) ?? model);
  const request = asked === json['model'] ? json : { ...json, model: asked };
  return block.edit(request, llmVariables(exchange, request, bytes));
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
function upstreamOf(
  { name, ownReply }: Format,
  model: string,
  { provider }: Destination,
): UpstreamFormatName | undefined {
  const format = upstreamFormat(name, provider.formats(model));
  if (format !== undefined || ownReply !== undefined) return format;
  throw new ProxyError('llmRequestInvalid', `the provider does not take ${name} requests for this model`);
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

function withCredential(
  exchange: Targeted,
  { provider }: Destination,
  format: UpstreamFormatName | undefined,
  model: string | undefined,
): Targeted {
  if (provider.headers === undefined) return exchange;
  const placed = exchange.backend.policies.auth?.location !== undefined;
  const headers = provider.headers(exchange.request.headers, { format, model, placed });
  return { ...exchange, request: { ...exchange.request, headers } };
}
