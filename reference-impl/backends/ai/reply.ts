import { Buffer } from 'node:buffer';
import { ProxyError } from '../../base/proxy-error.ts';
import { bytesBody, readBody } from '../../base/read-body.ts';
import { bodyLimit } from '../../exchange/buffer-limit.ts';
import type { Answer, Targeted } from '../../exchange/exchange.ts';
import { decode } from '../../base/content-encoding.ts';
import { stampOf, type Expected } from './call/expected.ts';
import { guardReply } from './guards/run-guards.ts';
import { asObjects, parseJson, parseObject, type Json } from '../json.ts';
import { textOf } from './read-request.ts';
import { repeatedMember } from './repeated-member.ts';
import { serviceTierOf } from './call/service-tier.ts';
import { streamedAnswer } from './streams/pipe.ts';
import { serverSentEvents } from './streams/sse.ts';
import { formOf } from './streams/stream-form.ts';
import { isForeignError, translatedError } from './translate/upstream-error.ts';
import { UnreadableReply, type Stamp, type Translation } from './translate/translation.ts';

/** The provider's reply in the format of the client. Throws llmResponseInvalid for what is no reply. */
export function receive(answer: Answer, expected: Expected): Answer | Promise<Answer> {
  if (answer.status < 200 || answer.status > 299) return errorAnswer(answer, expected);
  const { streams } = expected.upstream;
  const form = formOf(answer.headers, streams === undefined ? [serverSentEvents] : [streams, serverSentEvents]);
  return form === undefined ? wholeAnswer(answer, expected) : streamedAnswer(answer, form, expected);
}

async function wholeAnswer(answer: Answer, expected: Expected): Promise<Answer> {
  const { exchange, call, client, upstream, translation, guarding } = expected;
  const { bytes, text, json } = await readReply(answer, exchange);
  if (json === undefined) throw invalidReply('the reply is not a JSON object');
  const told = translation === undefined ? json : translatedReply(translation, json, stampOf(answer, expected));
  // Some providers count in a header field, which only the translated reply tells.
  call.count({
    usage: upstream.usage(json) ?? client.usage(told),
    model: upstream.responseModel(json),
    serviceTier: serviceTierOf(json),
  });
  const counted = client.countedTokens?.(told);
  if (counted !== undefined) call.counted(counted);
  call.finish();
  const { guards, context } = guarding;
  const guarded = await guardReply(guards.response, client, told, { ...context, answer });
  if ('answer' in guarded) return { ...guarded.answer, ...(answer.timings && { timings: answer.timings }) };
  // What was judged is what is sent, also where another reader would take the other of two members.
  const isAmbiguous = guards.response.length > 0 && repeatedMember(text) !== undefined;
  const shown = isAmbiguous ? { ...guarded.json } : guarded.json;
  call.replied(client, shown);
  return shown === json ? { ...answer, body: bytesBody(bytes) } : withJson(answer, shown);
}

function translatedReply(translation: Translation, json: Json, stamp: Stamp): Json {
  try {
    return translation.reply(json, stamp);
  } catch (error) {
    if (error instanceof UnreadableReply) throw invalidReply(error.message);
    throw error;
  }
}

/** An error of the provider keeps its status, and what it says. */
async function errorAnswer(answer: Answer, { exchange, call, client, translation }: Expected): Promise<Answer> {
  const { bytes, text, json } = await readReply(answer, exchange);
  call.finish();
  // Cloud C tells some errors as the only element of a list.
  const said = json ?? asObjects(parseJson(text))[0];
  if (translation !== undefined) {
    const error = said === undefined ? client.error(answer.status, text) : translation.error(answer.status, said);
    return withJson(answer, error);
  }
  if (said !== undefined && isForeignError(client, said))
    return withJson(answer, translatedError(client, answer.status, said));
  return { ...answer, body: answer.body && bytesBody(bytes) };
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
    throw invalidReply('the reply is too large');
  }
  const readable = decode(bytes, headers.get('content-encoding'), limit);
  if (!readable.ok) throw invalidReply(`the content encoding of the reply is ${readable.why}`);
  const text = textOf(readable.bytes);
  return { bytes, text, json: parseObject(text) };
}

function withJson(answer: Answer, json: Json): Answer {
  const headers = answer.headers.remove('content-encoding').set('content-type', 'application/json');
  return { ...answer, headers, body: bytesBody(Buffer.from(JSON.stringify(json))) };
}

function invalidReply(detail: string): ProxyError {
  return new ProxyError('llmResponseInvalid', detail);
}
