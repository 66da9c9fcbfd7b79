import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asObject, asObjects, asString, parseJson, type Json } from '../../../../backends/json.ts';
import { completionsToMessages } from '../../../../backends/ai/translate/completions-to-messages.ts';
import { messagesToCompletions } from '../../../../backends/ai/translate/messages-to-completions.ts';
import { messagesToResponses } from '../../../../backends/ai/translate/messages-to-responses.ts';
import { responsesToCompletions } from '../../../../backends/ai/translate/responses-to-completions.ts';
import type { Translation } from '../../../../backends/ai/translate/translation.ts';
import { asCompletion, asMessage, asResponse, modelReply, type ModelReply } from './model-replies.ts';

// A client sends what the model said back as history with its next question. Through a translation in both directions the
// provider must find what it said itself: the same words, the same calls under the same ids, in the same order.

const stamp = { created: 5, id: () => '0123456789abcdef' };

/** What a turn of the model says in any format. */
interface Turn {
  readonly text: string;
  readonly calls: readonly { readonly id: unknown; readonly name: unknown; readonly input: unknown }[];
}

/** How a client keeps a reply as history, and how a provider finds it there. */
interface Side {
  readonly reply: (reply: ModelReply) => Json;
  readonly request: (reply: Json) => Json;
  readonly turn: (request: Json) => Turn;
}

const QUESTION = { role: 'user', content: 'and then?' };

const completions: Side = {
  reply: asCompletion,
  request: (reply) => {
    const message = asObject(asObjects(reply['choices'])[0]?.['message']) ?? {};
    const results = asObjects(message['tool_calls']).map(({ id }) => ({
      role: 'tool',
      tool_call_id: id,
      content: 'ok',
    }));
    return { model: 'm', messages: [QUESTION, message, ...results, QUESTION] };
  },
  turn: (request) => {
    const [said, ...more] = asObjects(request['messages']).filter(({ role }) => role === 'assistant');
    expect(more).toEqual([]);
    const calls = asObjects(said?.['tool_calls']).map((call) => {
      const called = asObject(call['function']);
      return { id: call['id'], name: called?.['name'], input: parseJson(asString(called?.['arguments']) ?? '') };
    });
    return { text: textOf(said?.['content']), calls };
  },
};

const messages: Side = {
  reply: asMessage,
  request: ({ content }) => {
    const results = asObjects(content)
      .filter(({ type }) => type === 'tool_use')
      .map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' }));
    const answer = { role: 'user', content: [...results, { type: 'text', text: 'and then?' }] };
    return { model: 'm', max_tokens: 9, messages: [QUESTION, { role: 'assistant', content }, answer] };
  },
  turn: (request) => {
    const [said, ...more] = asObjects(request['messages']).filter(({ role }) => role === 'assistant');
    expect(more).toEqual([]);
    const uses = asObjects(said?.['content']).filter(({ type }) => type === 'tool_use');
    return { text: textOf(said?.['content']), calls: uses.map(({ id, name, input }) => ({ id, name, input })) };
  },
};

const responses: Side = {
  reply: asResponse,
  request: ({ output }) => {
    const results = asObjects(output)
      .filter(({ type }) => type === 'function_call')
      .map(({ call_id: id }) => ({ type: 'function_call_output', call_id: id, output: 'ok' }));
    return { model: 'm', input: [QUESTION, ...asObjects(output), ...results, QUESTION] };
  },
  turn: (request) => {
    const items = asObjects(request['input']);
    const said = items.filter(({ role }) => role === 'assistant');
    const calls = items
      .filter(({ type }) => type === 'function_call')
      .map(({ call_id: id, name, arguments: written }) => ({ id, name, input: parseJson(asString(written) ?? '') }));
    return { text: said.map(({ content }) => textOf(content)).join(''), calls };
  },
};

test.each<[string, Translation, Side, Side]>([
  ['completions, by a provider of messages', completionsToMessages, completions, messages],
  ['messages, by a provider of completions', messagesToCompletions, messages, completions],
  ['messages, by a provider of responses', messagesToResponses, messages, responses],
  ['responses, by a provider of completions', responsesToCompletions, responses, completions],
])('what was said is found again in the history of a client of %s', (_, translation, client, provider) => {
  fc.assert(
    fc.property(modelReply, (reply) => {
      // Blank text is no content in messages, so it cannot come back.
      fc.pre(reply.text.length === 0 || reply.text.join('').trim() !== '');
      const told = translation.reply(provider.reply(reply), stamp);
      const asked = translation.request(client.request(told));
      const own = provider.turn(provider.request(provider.reply(reply)));
      expect(provider.turn(asked)).toEqual(own);
    }),
  );
});

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return asObjects(content)
    .map((part) => asString(part['text']) ?? '')
    .join('');
}
