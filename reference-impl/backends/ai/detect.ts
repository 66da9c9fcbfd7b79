import { Buffer } from 'node:buffer';
import type { Body } from '../../base/body.ts';
import type { HeaderMap } from '../../base/headers.ts';
import { readBody, recordBody } from '../../base/read-body.ts';
import { bodyLimit } from '../../exchange/buffer-limit.ts';
import type { Answer, Targeted } from '../../exchange/exchange.ts';
import { splitTarget } from '../../exchange/request-state.ts';
import type { Prepared } from '../backend.ts';
import type { AiRequest } from './ai-request.ts';
import { decoded } from './content-encoding.ts';
import { decodedPieces, type DecodedPieces } from './decoded-pieces.ts';
import { usageIn } from './detect-usage.ts';
import { converseEvents } from './formats/converse-events.ts';
import { asObject, asString, parseObject, type Json } from './json.ts';
import { LlmCall, withCall } from './llm-call.ts';
import { modelInPath } from './model-in-path.ts';
import { passThrough } from './pass-through.ts';
import { textOf } from './read-request.ts';
import { BINARY_STREAM, isEventStream } from './reply.ts';
import { serviceTierOf } from './service-tier.ts';
import type { SseEvent } from './sse.ts';
import { sseDecoder, type StreamDecoder } from './stream-decoder.ts';

/**
 * ROUTES-010: the request is sent as it is, and what its body and its reply say about model and tokens is noted on the
 * side, whatever their format. What cannot be understood is passed on all the same.
 */
export async function detect(asked: AiRequest): Promise<Prepared> {
  const { exchange, destination } = asked;
  const { request } = exchange;
  const { bytes, overflow, rest } = await readBody(request.body, bodyLimit(exchange, 'request'));
  const readable = decoded(bytes, request.headers.get('content-encoding'), bodyLimit(exchange, 'request'));
  const json = (overflow || !readable.ok ? undefined : parseObject(textOf(readable.bytes))) ?? {};
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
  return { ...prepared, receive: (answer) => observed(answer, call, exchange) };
}

function observed(answer: Answer, call: LlmCall, exchange: Targeted): Answer {
  const { body, headers } = answer;
  if (body === undefined) {
    call.finish();
    return answer;
  }
  const encoding = headers.get('content-encoding');
  const events = eventsOf(headers);
  const pieces = events && decodedPieces(encoding);
  if (events !== undefined && pieces !== undefined)
    return { ...answer, body: watchedEvents(body, events, pieces, call) };
  const limit = bodyLimit(exchange, 'response');
  const kept = recordBody(body, limit, (bytes) => {
    const readable = decoded(bytes, encoding, limit);
    if (readable.ok) count(textOf(readable.bytes), call);
    call.finish();
  });
  // Without a declared length the end of the body follows its bytes, so the tokens are known before the client goes on.
  return { ...answer, body: { read: kept.read, cancel: kept.cancel, length: undefined } };
}

/** How the stream is cut into events; undefined when it is none. */
function eventsOf(headers: HeaderMap): StreamDecoder | undefined {
  if (isEventStream(headers)) return sseDecoder();
  return headers.get('content-type') === BINARY_STREAM ? converseEvents() : undefined;
}

/** Passes as it comes; the events in it are noted on the side. */
function watchedEvents(body: Body, decoder: StreamDecoder, pieces: DecodedPieces, call: LlmCall): Body {
  const noted = (events: readonly SseEvent[]): void => {
    for (const { data } of events) {
      call.streamBegan();
      count(data, call);
    }
  };
  const watch = (decodedNow: readonly Uint8Array[]): void => {
    for (const piece of decodedNow) noted(decoder.push(piece));
  };
  const finish = (): void => {
    noted(decoder.end());
    call.finish();
  };
  return {
    read: async () => {
      const chunk = await body.read();
      watch(await (chunk === undefined ? pieces.end() : pieces.push(chunk)));
      if (chunk === undefined) finish();
      return chunk;
    },
    cancel: () => {
      finish();
      body.cancel();
    },
    length: undefined,
  };
}

function count(text: string, call: LlmCall): void {
  const said = parseObject(text);
  const json = said && (wrapped(said) ?? said);
  if (json === undefined) return;
  call.count(usageIn(json), modelIn(json), serviceTierOf(json));
}

/** Cloud A sends the events of a model in its own words within events that say nothing else. */
function wrapped(event: Json): Json | undefined {
  const bytes = asString(asObject(event['chunk'])?.['bytes']);
  return bytes === undefined ? undefined : parseObject(Buffer.from(bytes, 'base64').toString('utf8'));
}

/** A reply, or the part of it that an event holds, names its model. */
function modelIn(json: Json): string | undefined {
  const inner = asObject(json['response']) ?? asObject(json['message']);
  return asString(json['model']) ?? asString(inner?.['model']);
}
