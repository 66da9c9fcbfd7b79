import type { Usage } from '../formats/format.ts';
import { asNumber, asObject, present, type Json } from '../../json.ts';

/** What a reply, or one event, of any format says about tokens. Undefined when it says nothing. */
export function usageIn(said: Json): Partial<Usage> | undefined {
  const usages = usageObjects(said);
  if (usages.length === 0) return undefined;
  const tell = (places: readonly string[]): number | undefined => first(usages, places);
  const [readApart, writtenApart] = [tell(CACHE_READ_APART), tell(CACHE_WRITE_APART)];
  const inputTold = tell(INPUT_WITHOUT_CACHE);
  const inputTokens = sum(inputTold, readApart, writtenApart) ?? tell(INPUT);
  const outputTokens = tell(OUTPUT) ?? sum(tell(OUTPUT_WITHOUT_REASONING), tell(REASONING_APART));
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return present({
    inputTokens,
    outputTokens,
    providerInputTokens: inputTold ?? inputTokens,
    providerTotalTokens: tell(TOTAL),
    cachedInputTokens: tell(CACHE_READ) ?? readApart,
    cacheCreationInputTokens: tell(CACHE_WRITE) ?? writtenApart,
    reasoningTokens: tell(REASONING) ?? tell(REASONING_APART),
    inputAudioTokens: tell(['prompt_tokens_details.audio_tokens', 'input_tokens_details.audio_tokens']),
    outputAudioTokens: tell(['completion_tokens_details.audio_tokens', 'output_tokens_details.audio_tokens']),
    inputImageTokens: tell(['input_tokens_details.image_tokens']),
    inputTextTokens: tell(['input_tokens_details.text_tokens']),
    outputImageTokens: tell(['output_tokens_details.image_tokens']),
    outputTextTokens: tell(['output_tokens_details.text_tokens']),
  });
}

/** Where the known formats say it; the first place that has a number counts. */
const INPUT = ['prompt_tokens', 'promptTokenCount'];
const OUTPUT = ['output_tokens', 'completion_tokens', 'outputTokens'];
const TOTAL = ['total_tokens', 'totalTokens', 'totalTokenCount'];
const REASONING = ['output_tokens_details.reasoning_tokens', 'completion_tokens_details.reasoning_tokens'];
const CACHE_READ = [
  'input_tokens_details.cached_tokens',
  'prompt_tokens_details.cached_tokens',
  'cachedContentTokenCount',
];
const CACHE_WRITE = ['input_tokens_details.cache_write_tokens', 'prompt_tokens_details.cache_write_tokens'];

/** Some formats count what they cache, or what the model thinks, beside the rest. */
const INPUT_WITHOUT_CACHE = ['input_tokens', 'inputTokens'];
const CACHE_READ_APART = ['cache_read_input_tokens', 'cacheReadInputTokens', 'cacheReadInputTokenCount'];
const CACHE_WRITE_APART = ['cache_creation_input_tokens', 'cacheWriteInputTokens', 'cacheWriteInputTokensCount'];
const OUTPUT_WITHOUT_REASONING = ['candidatesTokenCount'];
const REASONING_APART = ['thoughtsTokenCount'];

/** An event may hold the reply, or a part of it, in one of these members. */
const INNER = ['response', 'message', 'metadata'];

function usageObjects(said: Json): readonly Json[] {
  const places = [said, ...INNER.map((member) => asObject(said[member]))];
  return places
    .flatMap((place) => [asObject(place?.['usage']), asObject(place?.['usageMetadata'])])
    .filter((usage) => usage !== undefined);
}

function first(usages: readonly Json[], places: readonly string[]): number | undefined {
  for (const place of places) {
    for (const usage of usages) {
      const value = asNumber(at(usage, place));
      if (value !== undefined) return value;
    }
  }
  return undefined;
}

function at(usage: Json, place: string): unknown {
  return place.split('.').reduce<unknown>((value, member) => asObject(value)?.[member], usage);
}

/** Undefined when the first is: the others only add to it. */
function sum(base: number | undefined, ...more: readonly (number | undefined)[]): number | undefined {
  return base === undefined ? undefined : more.reduce<number>((total, count = 0) => total + count, base);
}
