import { Buffer } from 'node:buffer';
import type { HeaderMap } from '../../base/headers.ts';
import { ProxyError } from '../../base/proxy-error.ts';
import { bytesBody, readBody } from '../../base/read-body.ts';
import { bodyLimit } from '../../exchange/buffer-limit.ts';
import type { Answer, Targeted } from '../../exchange/exchange.ts';
import { decoded } from './content-encoding.ts';
import { decodedStream } from './decoded-stream.ts';
import type { Format, Json, UpstreamFormat } from './format.ts';
import type { Context } from './guards/guard.ts';
import type { PromptGuards } from './guards/guards.ts';
import { guardedStream } from './guards/guarded-stream.ts';
import { guardReply, isGuarded } from './guards/run-guards.ts';
import { asObjects, parseJson, parseObject } from './json.ts';
import type { LlmCall } from './llm-call.ts';
import { observedStream } from './observed-stream.ts';
import { textOf } from './read-request.ts';
import { serviceTierOf } from './service-tier.ts';
import { translatedStream } from './translated-stream.ts';
import { newStamp, UnreadableReply, type Stamp, type Translation } from './translate/translation.ts';

/** What is needed to understand a reply, and to tell it to the client. */
export interface Expected {
  readonly exchange: Targeted;
  readonly call: LlmCall;
  readonly client: Format;
  /** The request in the client's format. */
  readonly request: Json;
  readonly upstream: UpstreamFormat;
  /** Undefined when both sides speak the same format: then every byte stays as it is. */
  readonly translation: Translation | undefined;
  readonly guarding: Guarding;
}

/** The guards of the answer, and what they need of the request. */
export interface Guarding {
  readonly guards: PromptGuards;
  readonly context: Context;
}

/** The provider's reply in the format of the client. Throws llmResponseInvalid for what is no reply. */
export function receive(answer: Answer, expected: Expected): Answer | Promise<Answer> {
  if (answer.status < 200 || answer.status > 299) return failed(answer, expected);
  return isStream(answer, expected.upstream)
    ? guardedStreamed(decodedStream(answer), expected)
    : buffered(answer, expected);
}

/** Some formats have a form of their own for streams. */
function isStream({ headers }: Answer, { decoder }: UpstreamFormat): boolean {
  return isEventStream(headers) || (decoder !== undefined && headers.get('content-type') === BINARY_STREAM);
}

export const BINARY_STREAM = 'application/vnd.amazon.eventstream';

export function isEventStream(headers: HeaderMap): boolean {
  return (headers.get('content-type') ?? '').trim().toLowerCase().startsWith('text/event-stream');
}

/** GUARD-001, GUARD-002. Who asked for guards gets no answer that they cannot read. */
function guardedStreamed(answer: Answer, expected: Expected): Answer {
  const { guards, context } = expected.guarding;
  const told = streamed(answer, expected);
  if (!guards.streaming || guards.response.length === 0 || !isGuarded(expected.client)) return told;
  if (told.body === undefined) return told;
  if (!isPlain(answer.headers)) throw invalid('the encoding of the stream is unsupported');
  return { ...told, body: guardedStream(told.body, guards.response, expected.client, { ...context, answer }) };
}

function isPlain(headers: HeaderMap): boolean {
  return ['', 'identity'].includes((headers.get('content-encoding') ?? '').toLowerCase());
}

function streamed(answer: Answer, expected: Expected): Answer {
  const { exchange, call, client, upstream, translation } = expected;
  const { body, headers } = answer;
  if (body === undefined) {
    call.finish();
    return answer;
  }
  const plain = isPlain(headers);
  if (translation !== undefined) {
    if (!plain) throw invalid('the encoding of the stream is unsupported');
    const sides = { client, upstream, translator: translation.stream(stampOf(answer, expected)) };
    return {
      ...answer,
      headers: asEventStream(headers),
      body: translatedStream(body, sides, call, exchange.cancellation),
    };
  }
  return plain ? { ...answer, body: observedStream(body, client, call, exchange.cancellation) } : answer;
}

async function buffered(answer: Answer, expected: Expected): Promise<Answer> {
  const { exchange, call, client, upstream, translation, guarding } = expected;
  const { bytes, json } = await readReply(answer, exchange);
  if (json === undefined) throw invalid('the reply is not a JSON object');
  const told = translation === undefined ? json : translated(translation, json, stampOf(answer, expected));
  // Some providers count in a header field, which only the translated reply tells.
  call.count(upstream.usage(json) ?? client.usage(told), upstream.responseModel(json), serviceTierOf(json));
  const counted = client.countedTokens?.(told);
  if (counted !== undefined) call.counted(counted);
  call.finish();
  const { guards, context } = guarding;
  const guarded = await guardReply(guards.response, client, told, { ...context, answer });
  if ('answer' in guarded) return { ...guarded.answer, ...(answer.timings && { timings: answer.timings }) };
  const shown = guarded.json;
  call.replied(client, shown);
  return shown === json ? { ...answer, body: bytesBody(bytes) } : withJson(answer, shown);
}

function stampOf({ headers }: Answer, { exchange, request }: Expected): Stamp {
  return { ...newStamp(exchange.clock), request, header: (name) => headers.get(name) };
}

function asEventStream(headers: HeaderMap): HeaderMap {
  return isEventStream(headers)
    ? headers
    : headers.remove('content-length').set('content-type', 'text/event-stream; charset=utf-8');
}

function translated(translation: Translation, json: Json, stamp: Stamp): Json {
  try {
    return translation.reply(json, stamp);
  } catch (error) {
    if (error instanceof UnreadableReply) throw invalid(error.message);
    throw error;
  }
}

/** An error of the provider keeps its status, and what it says. */
async function failed(answer: Answer, { exchange, call, client, translation }: Expected): Promise<Answer> {
  const { bytes, text, json } = await readReply(answer, exchange);
  call.finish();
  if (translation === undefined) return { ...answer, body: answer.body && bytesBody(bytes) };
  // Cloud C tells some errors as the only element of a list.
  const said = json ?? asObjects(parseJson(text))[0];
  const error = said === undefined ? client.error(answer.status, text) : translation.error(answer.status, said);
  return withJson(answer, error);
}

interface Reply {
  /** As they came. */
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly json: Json | undefined;
}

async function readReply({ body, headers }: Answer, exchange: Targeted): Promise<Reply> {
  const limit = bodyLimit(exchange, 'response');
  const { bytes, overflow } = await readBody(body, limit);
  if (overflow) {
    body?.cancel();
    throw invalid('the reply is too large');
  }
  const readable = decoded(bytes, headers.get('content-encoding'), limit);
  if (!readable.ok) throw invalid(`the content encoding of the reply is ${readable.why}`);
  const text = textOf(readable.bytes);
  return { bytes, text, json: parseObject(text) };
}

function withJson(answer: Answer, json: Json): Answer {
  const headers = answer.headers.remove('content-encoding').set('content-type', 'application/json');
  return { ...answer, headers, body: bytesBody(Buffer.from(JSON.stringify(json))) };
}

function invalid(detail: string): ProxyError {
  return new ProxyError('llmResponseInvalid', detail);
}
