import { isObject } from '../../values/json.ts';
import type { JsonObject } from '../../values/json.ts';
import { at, withoutUndefined } from './reading.ts';

/** What a client of a format makes of an answer. A member that the answer does not have is not there. */
export interface LlmAnswer {
  readonly text?: string;
  readonly reasoning?: string;
  /** Calls of tools; `arguments` is what their JSON text says, or the text where it is no JSON. */
  readonly toolCalls?: readonly JsonObject[];
  readonly finish?: unknown;
  readonly usage?: JsonObject;
  readonly model?: unknown;
  readonly error?: unknown;
  /** Of Embeddings: the numbers of each, those that came as base64 too. */
  readonly vectors?: readonly unknown[];
  /** Of a stream: the format's own end was reached. */
  readonly terminated?: boolean;
  /** Of a stream: whether it reached that end and told of no error. */
  readonly endedWell?: boolean;
}

/** How a client of one format reads. */
export interface LlmReader {
  readonly document: (json: JsonObject) => LlmAnswer;
  readonly events: (data: readonly JsonObject[]) => LlmAnswer;
  /** Whether a stream whose last event has this data came to the end of the format. */
  readonly isEnd: (data: unknown) => boolean;
  /** What may still follow the end: some write down once more that it is one. */
  readonly afterEnd?: string;
}

/** Tokens under neutral names, whatever the format calls them; undefined where nothing is said about them. */
export function usageOf(usage: unknown): JsonObject | undefined {
  if (!isObject(usage)) return undefined;
  return withoutUndefined({
    input: usage['prompt_tokens'] ?? usage['input_tokens'],
    output: usage['completion_tokens'] ?? usage['output_tokens'],
    total: usage['total_tokens'],
    cached:
      usage['cache_read_input_tokens'] ??
      at(usage, 'prompt_tokens_details', 'cached_tokens') ??
      at(usage, 'input_tokens_details', 'cached_tokens'),
    cacheWrite: usage['cache_creation_input_tokens'] ?? at(usage, 'prompt_tokens_details', 'cache_write_tokens'),
    reasoning:
      at(usage, 'completion_tokens_details', 'reasoning_tokens') ??
      at(usage, 'output_tokens_details', 'reasoning_tokens'),
  });
}
