import { isObject } from '../../values/json.ts';
import type { JsonObject } from '../../values/json.ts';
import { usageOf, type LlmAnswer, type LlmReader } from './llm-answer.ts';
import { asObject, at, withoutUndefined, first, joinTexts, jsonOr, last, listAt } from './reading.ts';

/** A client of messages. */
export const messages: LlmReader = {
  document: (json) => message(listAt(json, 'content'), json['usage'], json['stop_reason']),
  events: messageEvents,
  isEnd: (data) => at(data, 'type') === 'message_stop',
};

function message(blocks: readonly unknown[], usage: unknown, finish: unknown): LlmAnswer {
  const ofType = (type: string): readonly unknown[] => blocks.filter((block) => at(block, 'type') === type);
  const calls = ofType('tool_use').map((block) =>
    withoutUndefined({ id: at(block, 'id'), name: at(block, 'name'), arguments: at(block, 'input') }),
  );
  return withoutUndefined({
    text: joinTexts(ofType('text'), 'text'),
    reasoning: joinTexts(ofType('thinking'), 'thinking'),
    toolCalls: calls.length === 0 ? undefined : calls,
    finish: finish ?? undefined,
    usage: usageOf(usage),
  });
}

function messageEvents(data: readonly JsonObject[]): LlmAnswer {
  const blocks = data
    .filter((one) => one['type'] === 'content_block_start')
    .map((start) => {
      const deltas = data.filter((one) => one['type'] === 'content_block_delta' && one['index'] === start['index']);
      const input = joinTexts(deltas, 'delta', 'partial_json');
      return {
        ...(isObject(start['content_block']) ? start['content_block'] : {}),
        ...withoutUndefined({
          text: joinTexts(deltas, 'delta', 'text'),
          thinking: joinTexts(deltas, 'delta', 'thinking'),
          input: input === undefined ? undefined : jsonOr(input),
        }),
      };
    });
  const begun = first(data, 'message', 'usage');
  const ended = last(data, 'usage');
  const usage = isObject(begun) || isObject(ended) ? { ...asObject(begun), ...asObject(ended) } : undefined;
  const answer = message(blocks, usage, last(data, 'delta', 'stop_reason'));
  return { ...answer, ...withoutUndefined({ model: first(data, 'message', 'model') }) };
}
