import type { JsonObject } from '../../values/json.ts';
import { usageOf, type LlmAnswer, type LlmReader } from './llm-answer.ts';
import { at, withoutUndefined, first, joinTexts, jsonOr, last, listAt, textOf } from './reading.ts';

/** A client of chat completions. */
export const completions: LlmReader = {
  document: (json) => completion(at(json, 'choices', 0, 'message'), json, at(json, 'choices', 0, 'finish_reason')),
  events: completionEvents,
  isEnd: (data) => data === '[DONE]',
};

function completion(said: unknown, json: unknown, finish: unknown): LlmAnswer {
  const calls = listAt(said, 'tool_calls').map((call) =>
    withoutUndefined({
      id: at(call, 'id'),
      name: at(call, 'function', 'name'),
      arguments: jsonOr(at(call, 'function', 'arguments')),
    }),
  );
  return withoutUndefined({
    text: textOf(at(said, 'content')),
    reasoning: textOf(at(said, 'reasoning_content')),
    toolCalls: calls.length === 0 ? undefined : calls,
    finish: finish ?? undefined,
    usage: usageOf(at(json, 'usage')),
  });
}

/** Only the first choice is gathered; a case that asks for several looks at `events`. */
function completionEvents(data: readonly JsonObject[]): LlmAnswer {
  const choices = data.flatMap((one) => listAt(one, 'choices')).filter((choice) => at(choice, 'index') === 0);
  const pieces = choices.flatMap((choice) => listAt(choice, 'delta', 'tool_calls'));
  const indexes = [...new Set(pieces.map((piece) => at(piece, 'index')))];
  const calls = indexes.map((index) => {
    const own = pieces.filter((piece) => at(piece, 'index') === index);
    return {
      id: first(own, 'id'),
      function: { name: first(own, 'function', 'name'), arguments: joinTexts(own, 'function', 'arguments') ?? '' },
    };
  });
  const said = {
    content: joinTexts(choices, 'delta', 'content'),
    reasoning_content: joinTexts(choices, 'delta', 'reasoning_content'),
    tool_calls: calls,
  };
  const answer = completion(said, { usage: last(data, 'usage') }, last(choices, 'finish_reason'));
  return { ...answer, ...withoutUndefined({ model: first(data, 'model') }) };
}
