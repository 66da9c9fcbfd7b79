import { Buffer } from 'node:buffer';
import type { HeaderMap } from '../../base/headers.ts';
import { ProxyError } from '../../base/proxy-error.ts';
import { bytesBody, readBody } from '../../base/read-body.ts';
import { bodyLimit } from '../../exchange/buffer-limit.ts';
import type { Answer, Targeted } from '../../exchange/exchange.ts';
import { decoded } from './content-encoding.ts';
import type { Format, Json } from './format.ts';
import { parseObject } from './json.ts';
import type { LlmCall } from './llm-call.ts';
import { observedStream } from './observed-stream.ts';
import { textOf } from './read-request.ts';
import { translatedStream } from './translated-stream.ts';
import { newStamp, UnreadableReply, type Translation } from './translate/translation.ts';

/** What is needed to understand a reply, and to tell it to the client. */
export interface Expected {
  readonly exchange: Targeted;
  readonly call: LlmCall;
  readonly client: Format;
  readonly upstream: Format;
  /** Undefined when both sides speak the same format: then every byte stays as it is. */
  readonly translation: Translation | undefined;
}

/** The provider's reply in the format of the client. Throws llmResponseInvalid for what is no reply. */
export function receive(answer: Answer, expected: Expected): Answer | Promise<Answer> {
  if (answer.status < 200 || answer.status > 299) return failed(answer, expected);
  return isEventStream(answer.headers) ? streamed(answer, expected) : buffered(answer, expected);
}

export function isEventStream(headers: HeaderMap): boolean {
  return (headers.get('content-type') ?? '').trim().toLowerCase().startsWith('text/event-stream');
}

function streamed(answer: Answer, { exchange, call, client, upstream, translation }: Expected): Answer {
  const { body, headers } = answer;
  if (body === undefined) {
    call.finish();
    return answer;
  }
  const plain = ['', 'identity'].includes((headers.get('content-encoding') ?? '').toLowerCase());
  if (translation !== undefined) {
    if (!plain) throw invalid('the encoding of the stream is unsupported');
    const sides = { client, upstream, translator: translation.stream(newStamp(exchange.clock)) };
    return { ...answer, body: translatedStream(body, sides, call, exchange.cancellation) };
  }
  return plain ? { ...answer, body: observedStream(body, upstream, call, exchange.cancellation) } : answer;
}

async function buffered(answer: Answer, expected: Expected): Promise<Answer> {
  const { exchange, call, client, upstream, translation } = expected;
  const { bytes, json } = await readReply(answer, exchange);
  if (json === undefined) throw invalid('the reply is not a JSON object');
  call.count(upstream.usage(json), upstream.responseModel(json));
  const told = translation === undefined ? json : translated(translation, json, exchange);
  call.replied(client, told);
  call.finish();
  return told === json ? { ...answer, body: bytesBody(bytes) } : withJson(answer, told);
}

function translated(translation: Translation, json: Json, { clock }: Targeted): Json {
  try {
    return translation.reply(json, newStamp(clock));
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
  const error = json === undefined ? client.error(answer.status, text) : translation.error(answer.status, json);
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
