import { isObject } from '../../values/json.ts';
import type { JsonObject } from '../../values/json.ts';
import { completions } from './completions.ts';
import { usageOf, type LlmAnswer, type LlmReader } from './llm-answer.ts';
import type { LlmFormat } from '../../values/llm-format.ts';
import { messages } from './messages.ts';
import { at, listAt, withoutUndefined } from './reading.ts';
import { responses } from './responses.ts';
import type { SeenEvent } from './sse-events.ts';

/** An answer that came as one document. */
export function answerOf(format: LlmFormat, json: unknown): LlmAnswer {
  if (!isObject(json)) return {};
  const error = isObject(json['error']) ? { error: json['error'] } : {};
  return { ...READERS[format].document(json), ...withoutUndefined({ model: json['model'] }), ...error };
}

/** An answer that came as events. */
export function streamedAnswerOf(format: LlmFormat, events: readonly SeenEvent[]): LlmAnswer {
  const data = events.map((event) => event.data);
  const objects = data.filter(isObject);
  const error = objects.map((one) => errorIn(one)).find((one) => one !== undefined);
  const { isEnd, afterEnd } = READERS[format];
  const terminated = isEnd(afterEnd !== undefined && data.at(-1) === afterEnd ? data.at(-2) : data.at(-1));
  // Whoever was told of an error does not take the end that may follow it for a good one.
  const endedWell = terminated && error === undefined;
  return { ...READERS[format].events(objects), ...withoutUndefined({ error }), terminated, endedWell };
}

/** Embeddings have neither texts nor streams. */
const embeddings: LlmReader = {
  document: (json) =>
    withoutUndefined({
      usage: usageOf(json['usage']),
      vectors: listAt(json, 'data').map((one) => vectorOf(at(one, 'embedding'))),
    }),
  events: () => ({}),
  isEnd: () => false,
};

/** Base64 is 32 bits a number, the lowest byte first. */
function vectorOf(embedding: unknown): unknown {
  if (typeof embedding !== 'string') return embedding;
  const bytes = Buffer.from(embedding, 'base64');
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readFloatLE(index * 4));
}

const READERS: Readonly<Record<LlmFormat, LlmReader>> = {
  Completions: completions,
  Messages: messages,
  Responses: responses,
  Embeddings: embeddings,
};

function errorIn(data: JsonObject): unknown {
  if (data['type'] === 'error') return data['error'] ?? data;
  return at(data, 'response', 'error') ?? data['error'] ?? undefined;
}
