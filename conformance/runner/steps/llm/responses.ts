import type { JsonObject } from '../../values/json.ts';
import { usageOf, type LlmAnswer, type LlmReader } from './llm-answer.ts';
import { at, withoutUndefined, joinTexts, jsonOr, last, listAt } from './reading.ts';

/** A client of responses. */
export const responses: LlmReader = {
  document: response,
  events: responseEvents,
  // The format's vendor ends with the event; the open specification of the same format wants [DONE] behind it.
  afterEnd: '[DONE]',
  isEnd: (data) => /^response\.(completed|incomplete|failed)$/.test(String(at(data, 'type'))),
};

function response(json: JsonObject): LlmAnswer {
  const output = listAt(json, 'output');
  const ofType = (type: string): readonly unknown[] => output.filter((item) => at(item, 'type') === type);
  const parts = ofType('message').flatMap((item) => listAt(item, 'content'));
  const calls = ofType('function_call').map((item) =>
    withoutUndefined({ id: at(item, 'call_id'), name: at(item, 'name'), arguments: jsonOr(at(item, 'arguments')) }),
  );
  return withoutUndefined({
    text: joinTexts(parts, 'text'),
    reasoning: joinTexts(
      ofType('reasoning').flatMap((item) => listAt(item, 'summary')),
      'text',
    ),
    toolCalls: calls.length === 0 ? undefined : calls,
    finish: json['status'],
    usage: usageOf(json['usage']),
  });
}

/** Text and arguments as the pieces say, not as the last event repeats them: both have to be right. */
function responseEvents(data: readonly JsonObject[]): LlmAnswer {
  const ofType = (type: string): readonly JsonObject[] => data.filter((one) => one['type'] === type);
  const end = last(data, 'response');
  const calls = ofType('response.output_item.added')
    .filter((one) => at(one, 'item', 'type') === 'function_call')
    .map((one) => {
      const own = ofType('response.function_call_arguments.delta').filter((delta) => isOf(delta, one));
      return withoutUndefined({
        id: at(one, 'item', 'call_id'),
        name: at(one, 'item', 'name'),
        arguments: jsonOr(joinTexts(own, 'delta') ?? ''),
      });
    });
  return withoutUndefined({
    text: joinTexts(ofType('response.output_text.delta'), 'delta'),
    reasoning: joinTexts(ofType('response.reasoning_summary_text.delta'), 'delta'),
    toolCalls: calls.length === 0 ? undefined : calls,
    finish: at(end, 'status'),
    usage: usageOf(at(end, 'usage')),
    model: at(end, 'model'),
  });
}

function isOf(delta: JsonObject, added: JsonObject): boolean {
  return delta['output_index'] === added['output_index'];
}
