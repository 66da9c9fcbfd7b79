import { Buffer } from 'node:buffer';
import { ProxyError } from '../../base/proxy-error.ts';
import { bytesBody } from '../../base/read-body.ts';
import type { Targeted } from '../../exchange/exchange.ts';
import { splitTarget } from '../../exchange/request-state.ts';
import type { Decided, Prepared } from '../backend.ts';
import { http } from '../http.ts';
import type { AiRequest, Understood } from './ai-request.ts';
import { answerHere } from './answer-here.ts';
import { backendFor, targetOf, withProviderHeaders, type Destination } from './providers/destination.ts';
import type { Format, Json, UpstreamFormat } from './formats/format.ts';
import { UPSTREAM_FORMATS } from './formats/registry.ts';
import { promptGuards } from './guards/guards.ts';
import { guardRequest } from './guards/run-guards.ts';
import { LlmCall, withCall } from './call/llm-call.ts';
import { llmVariables } from './call/llm-variables.ts';
import { jsonKeepingDigits } from './large-numbers.ts';
import { modelInPath } from './models/model-in-path.ts';
import type { PolicyBlock } from './policy/policy-block.ts';
import type { ProviderCall } from './providers/provider.ts';
import { readRequest, textOf, type LlmRequest } from './read-request.ts';
import { receive } from './reply.ts';
import { translationBetween, upstreamFormat } from './translate/preference.ts';
import { UnsupportedByFormat, type Translation } from './translate/translation.ts';

/** One request in a format that is understood, step by step. */
export async function sendInFormat(client: Format, asked: AiRequest): Promise<Prepared | Decided> {
  const { exchange, destination, block, services } = asked;
  const read = await readRequest(exchange);
  const edited = withEdits(read, asked);
  checkRequest(client, edited);
  const aliased = withAlias(edited, block);
  const counted = client.askForTokens?.(aliased) ?? aliased;
  const named = destination.provider.rename?.(counted, client.name) ?? counted;
  const model = String(named['model']);
  const upstream = upstreamOf(client, model, destination);
  const isTranslated = upstream !== undefined && upstream.name !== client.name;
  const { prepend, append } = isTranslated ? block.translatedPrompt : block.prompt;
  const enriched = client.enrich(named, prepend, append);
  const guards = promptGuards(exchange.backend.policies);
  const guarded = await guardRequest(guards.request, client, { exchange, services, llmRequest: enriched });
  if ('answer' in guarded) return { exchange, answer: guarded.answer };
  const understood = { client, model, request: guarded.json, tellsTokens: counted === aliased, read, guards };
  if (upstream === undefined) return answerHere(understood, asked);
  return sendAs(upstream, understood, asked);
}

/** The request with the model of the provider and the edits of the policy. */
function withEdits({ json, bytes }: LlmRequest, { exchange, destination, block }: AiRequest): Json {
  const model = destination.provider.model ?? json['model'];
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

/** PROV-034, PROV-035 */
function upstreamOf({ name, ownReply }: Format, model: string, { provider }: Destination): UpstreamFormat | undefined {
  const format = upstreamFormat(name, provider.formats(model));
  if (format !== undefined) return UPSTREAM_FORMATS[format];
  if (ownReply !== undefined) return undefined;
  throw new ProxyError('llmRequestInvalid', `the provider does not take ${name} requests for this model`);
}

/** The request in the format of the provider, and how its reply is understood. */
function sendAs(upstream: UpstreamFormat, understood: Understood, asked: AiRequest): Prepared {
  const { client, model, request, read, guards, tellsTokens } = understood;
  const { exchange, destination, services } = asked;
  const streaming = client.isStream(request);
  const translation = translationBetween(client.name, upstream.name);
  const providerCall = { format: upstream.name, model, streaming };
  const body = bodyFor(upstream, providerCall, translatedRequest(request, translation), asked);
  const call = new LlmCall(
    { provider: destination.provider.name, streaming, model, request, format: client },
    exchange,
  );
  const reached = { ...withCall(exchange, call), backend: backendFor(destination, upstream.name) };
  const sent = withBody(reached, read, body, targetOf(destination, providerCall, exchange.request.target));
  const prepared = http.prepare(withProviderHeaders(sent, destination, providerCall), services);
  const guarding = { guards, context: { exchange: prepared.exchange, services, llmRequest: request } };
  const { exchange: prompted } = prepared;
  const expected = { exchange: prompted, call, request, client, upstream, translation, guarding, tellsTokens };
  return { ...prepared, receive: (answer) => receive(answer, expected) };
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

function bodyFor(upstream: UpstreamFormat, call: ProviderCall, request: Json, asked: AiRequest): Json {
  const { exchange, destination, block } = asked;
  const marked = upstream.withCachePoints?.(request, call.model, block.promptCaching) ?? request;
  return destination.provider.body?.(marked, call, exchange.request.headers) ?? marked;
}

/** A body nobody changed goes out byte for byte. The reply is to be read, so it comes without encoding. */
function withBody(exchange: Targeted, read: LlmRequest, body: Json, target: string): Targeted {
  const bytes = body === read.json ? read.bytes : Buffer.from(jsonKeepingDigits(body, textOf(read.bytes)));
  const { request } = exchange;
  const headers = request.headers.remove('content-encoding', 'accept-encoding');
  const typed = body === read.json ? headers : headers.set('content-type', 'application/json');
  return { ...exchange, request: { ...request, target, headers: typed, body: bytesBody(bytes) } };
}
