import type { Body } from '../../base/body.ts';
import { readBody, recorded } from '../../base/read-body.ts';
import { bodyLimit } from '../../exchange/buffer-limit.ts';
import type { Answer, Targeted } from '../../exchange/exchange.ts';
import type { Services } from '../../upstream/services.ts';
import type { Prepared } from '../backend.ts';
import type { Destination } from './destination.ts';
import type { Usage } from './format.ts';
import { asNumber, asObject, asString, parseObject, present, type Json } from './json.ts';
import { LlmCall } from './llm-call.ts';
import { NO_POLICY, type PolicyBlock } from './policy-block.ts';
import { textOf } from './read-request.ts';
import { isEventStream } from './reply.ts';
import { sseParser } from './sse.ts';

type Untouched = (exchange: Targeted, destination: Destination, block: PolicyBlock, services: Services) => Prepared;

/**
 * ROUTES-010: the request is sent as it is, and what its body and its reply say about model and tokens is noted on the
 * side, whatever their format. What cannot be understood is passed on all the same.
 */
export async function detected(
  exchange: Targeted,
  destination: Destination,
  services: Services,
  untouched: Untouched,
): Promise<Prepared> {
  const { request } = exchange;
  const { bytes, overflow, rest } = await readBody(request.body, bodyLimit(exchange, 'request'));
  const json = (overflow ? undefined : parseObject(textOf(bytes))) ?? {};
  const call = new LlmCall({
    provider: destination.provider.name,
    streaming: json['stream'] === true,
    model: asString(json['model']) ?? asString(asObject(json['message'])?.['model']),
    request: json,
    format: undefined,
  });
  const body = request.body === undefined ? undefined : rest;
  const now = { ...exchange, request: { ...request, body }, facts: { ...exchange.facts, llm: call } };
  const prepared = untouched(now, destination, NO_POLICY, services);
  return { ...prepared, receive: (answer) => observed(answer, call, exchange) };
}

function observed(answer: Answer, call: LlmCall, exchange: Targeted): Answer {
  const { body, headers } = answer;
  if (body === undefined) {
    call.finish();
    return answer;
  }
  if (isEventStream(headers)) return { ...answer, body: watchedEvents(body, call) };
  const kept = recorded(body, bodyLimit(exchange, 'response'), (bytes) => {
    count(textOf(bytes), call);
    call.finish();
  });
  // Without a declared length the end of the body follows its bytes, so the tokens are known before the client goes on.
  return { ...answer, body: { read: kept.read, cancel: kept.cancel, length: undefined } };
}

function watchedEvents(body: Body, call: LlmCall): Body {
  const parser = sseParser();
  const finish = (): void => {
    for (const { data } of parser.end()) count(data, call);
    call.finish();
  };
  return {
    read: async () => {
      const chunk = await body.read();
      if (chunk === undefined) finish();
      else for (const { data } of parser.push(chunk)) count(data, call);
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
  const json = parseObject(text);
  if (json === undefined) return;
  call.count(usageIn(json), asString(json['model']) ?? asString(asObject(json['response'])?.['model']));
}

/** Where providers say how many tokens there were; the first place that has a number counts. */
const INPUT = [
  'usage.input_tokens',
  'response.usage.input_tokens',
  'message.usage.input_tokens',
  'usage.prompt_tokens',
  'usage.inputTokens',
  'metadata.usage.inputTokens',
  'usageMetadata.promptTokenCount',
  'response.usageMetadata.promptTokenCount',
];
const OUTPUT = [
  'usage.output_tokens',
  'response.usage.output_tokens',
  'message.usage.output_tokens',
  'usage.completion_tokens',
  'usage.outputTokens',
  'metadata.usage.outputTokens',
  'usageMetadata.candidatesTokenCount',
  'response.usageMetadata.candidatesTokenCount',
];

function usageIn(json: Json): Partial<Usage> | undefined {
  const [inputTokens, outputTokens] = [first(json, INPUT), first(json, OUTPUT)];
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return present({ inputTokens, outputTokens });
}

function first(json: Json, paths: readonly string[]): number | undefined {
  return paths.map((path) => asNumber(at(json, path))).find((value) => value !== undefined);
}

function at(json: Json, path: string): unknown {
  return path.split('.').reduce<unknown>((value, member) => asObject(value)?.[member], json);
}
