import { Buffer } from 'node:buffer';
import { readBody, recordBody } from '../../base/read-body.ts';
import { bodyLimit } from '../../exchange/buffer-limit.ts';
import type { Answer, Targeted } from '../../exchange/exchange.ts';
import { splitTarget } from '../../exchange/request-state.ts';
import type { Prepared } from '../backend.ts';
import type { AiRequest } from './ai-request.ts';
import { decode } from '../../base/content-encoding.ts';
import { usageIn } from './call/detect-usage.ts';
import { STREAM_FORMS } from './formats/registry.ts';
import { asObject, asString, parseObject, type Json } from '../json.ts';
import { LlmCall, withCall, type Counts } from './call/llm-call.ts';
import { modelInPath } from './models/model-in-path.ts';
import { passThrough } from './pass-through.ts';
import { repeatedMember } from './repeated-member.ts';
import { textOf } from './read-request.ts';
import { serviceTierOf } from './call/service-tier.ts';
import { countStage } from './streams/count.ts';
import { decodedAside } from './streams/decode-aside.ts';
import { formOf } from './streams/stream-form.ts';
import { watchedStream } from './streams/watch.ts';

/**
 * ROUTES-010: the request is sent as it is, and what its body and its reply say about model and tokens is noted on the
 * side, whatever their format. What cannot be understood is passed on all the same.
 */
export async function detect(asked: AiRequest): Promise<Prepared> {
  const { exchange, destination } = asked;
  const { request } = exchange;
  const { bytes, overflow, rest } = await readBody(request.body, bodyLimit(exchange, 'request'));
  const readable = decode(bytes, request.headers.get('content-encoding'), bodyLimit(exchange, 'request'));
  const json = (overflow || !readable.ok ? undefined : understood(textOf(readable.bytes))) ?? {};
  const call = new LlmCall(
    {
      provider: destination.provider.name,
      streaming: json['stream'] === true,
      model: modelIn(json) ?? modelInPath(splitTarget(request.target).path),
      request: json,
      format: undefined,
    },
    exchange,
  );
  const body = request.body === undefined ? undefined : rest;
  const now = withCall({ ...exchange, request: { ...request, body } }, call);
  const prepared = passThrough({ ...asked, exchange: now });
  return { ...prepared, receive: (answer) => watchReply(answer, call, exchange) };
}

/** What could be read in two ways is not understood, and passed on. */
function understood(text: string): Json | undefined {
  const json = parseObject(text);
  return json !== undefined && repeatedMember(text) === undefined ? json : undefined;
}

function watchReply(answer: Answer, call: LlmCall, exchange: Targeted): Answer {
  const { body, headers } = answer;
  if (body === undefined) {
    call.finish();
    return answer;
  }
  const encoding = headers.get('content-encoding');
  const form = formOf(headers, STREAM_FORMS);
  const reader = form && decodedAside(encoding, form.cutter());
  if (reader !== undefined) {
    const stages = [countStage(call, ({ json }) => json && countsIn(json))];
    return { ...answer, body: watchedStream(body, reader, { stages, call, cancellation: exchange.cancellation }) };
  }
  const limit = bodyLimit(exchange, 'response');
  const kept = recordBody(body, limit, (bytes) => {
    const readable = decode(bytes, encoding, limit);
    const said = readable.ok ? parseObject(textOf(readable.bytes)) : undefined;
    if (said !== undefined) call.count(countsIn(said));
    call.finish();
  });
  // Without a declared length the end of the body follows its bytes, so the tokens are known before the client goes on.
  return { ...answer, body: { read: kept.read, cancel: kept.cancel, length: undefined } };
}

/** What a reply, or one event, of any format says. */
function countsIn(said: Json): Counts {
  const json = unwrap(said) ?? said;
  return { usage: usageIn(json), model: modelIn(json), serviceTier: serviceTierOf(json) };
}

/** Cloud A sends the events of a model in its own words within events that say nothing else. */
function unwrap(event: Json): Json | undefined {
  const bytes = asString(asObject(event['chunk'])?.['bytes']);
  return bytes === undefined ? undefined : parseObject(Buffer.from(bytes, 'base64').toString('utf8'));
}

/** A reply, or the part of it that an event holds, names its model. */
function modelIn(json: Json): string | undefined {
  const inner = asObject(json['response']) ?? asObject(json['message']);
  return asString(json['model']) ?? asString(inner?.['model']);
}
