import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../../../backends/json.ts';
import { completionsToMessages } from '../../../../backends/ai/translate/completions-to-messages.ts';
import { messagesToCompletions } from '../../../../backends/ai/translate/messages-to-completions.ts';
import { asCompletion, asMessage, modelReply } from './model-replies.ts';

const stamp = { created: 5, id: () => '0123456789abcdef' };

const word = fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' }).filter((text) => text.trim() !== '');
const name = fc.constantFrom('f', 'g', 'h');
const object = fc.dictionary(fc.constantFrom('a', 'b'), fc.oneof(word, fc.integer(), fc.array(fc.boolean())));

const text = word.map((words) => ({ type: 'text', text: words }));
const image = fc.oneof(
  fc.base64String().map((data) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } })),
  fc.webUrl().map((url) => ({ type: 'image', source: { type: 'url', url } })),
);
const spoken = fc.array(fc.oneof(text, image), { minLength: 1, maxLength: 3 });
const result = fc.record({
  type: fc.constant('tool_result'),
  tool_use_id: word,
  content: fc.oneof(word, fc.array(text, { minLength: 1, maxLength: 2 })),
});
const use = fc.record({ type: fc.constant('tool_use'), id: word, name, input: object });

/** Results of tools come first in a turn, calls last: what both formats can say. */
const userTurn = fc
  .tuple(fc.array(result, { maxLength: 2 }), spoken)
  .map(([results, rest]) => ({ role: 'user', content: [...results, ...rest] }));
const modelTurn = fc
  .tuple(fc.array(text, { maxLength: 2 }), fc.array(use, { maxLength: 2 }))
  .filter(([texts, uses]) => texts.length + uses.length > 0)
  .map(([texts, uses]) => ({ role: 'assistant', content: [...texts, ...uses] }));

const tool = fc.record(
  { name, description: word, input_schema: object.map((properties) => ({ type: 'object', properties })) },
  { requiredKeys: ['name', 'input_schema'] },
);
const single = fc.constantFrom({}, { disable_parallel_tool_use: true });
const choice = fc.oneof(
  fc.tuple(fc.constantFrom('auto', 'any'), single).map(([type, alone]): Json => ({ type, ...alone })),
  fc.tuple(name, single).map(([chosen, alone]): Json => ({ type: 'tool', name: chosen, ...alone })),
  fc.constant<Json>({ type: 'none' }),
);
const tooling = fc.oneof(
  fc.constant<Json>({}),
  fc.record(
    { tools: fc.array(tool, { minLength: 1, maxLength: 3 }), tool_choice: choice },
    { requiredKeys: ['tools'] },
  ),
);

const request = fc
  .tuple(
    fc.record(
      {
        model: word,
        max_tokens: fc.integer({ min: 1, max: 9999 }),
        messages: fc
          .tuple(fc.array(fc.tuple(userTurn, modelTurn), { maxLength: 3 }), userTurn)
          .map(([turns, last]) => [...turns.flat(), last]),
        system: word,
        stop_sequences: fc.array(word, { minLength: 1, maxLength: 3 }),
        temperature: fc.double({ min: 0, max: 1, noNaN: true }),
        top_p: fc.double({ min: 0, max: 1, noNaN: true }),
        stream: fc.boolean(),
        metadata: word.map((user) => ({ user_id: user })),
        output_config: object.map((named) => ({
          format: { type: 'json_schema', schema: { title: 't', default: named } },
        })),
      },
      { requiredKeys: ['model', 'max_tokens', 'messages'] },
    ),
    tooling,
  )
  .map(([members, tools]): Json => ({ ...members, ...tools }));

test('a request keeps what both formats can say', () => {
  fc.assert(
    fc.property(request, (asked) => {
      const completions = messagesToCompletions.request(asked);
      expect(completionsToMessages.request(completions)).toEqual(asked);
      expect(messagesToCompletions.request(completionsToMessages.request(completions))).toEqual(completions);
    }),
    { numRuns: 300 },
  );
});

test('a reply keeps what was said, called and counted, and why it ended', () => {
  fc.assert(
    fc.property(modelReply, (reply) => {
      // The two formats count the cache differently, and a reply does not say which way it was counted.
      const plain = { ...reply, cached: 0 };
      const message = asMessage(plain);
      const completion = completionsToMessages.reply(message, stamp);
      expect(messagesToCompletions.reply(completion, stamp)).toMatchObject({
        ...message,
        usage: { output_tokens: reply.output },
      });
      const back = completionsToMessages.reply(messagesToCompletions.reply(asCompletion(plain), stamp), stamp);
      expect(withoutBlanks(back)).toMatchObject(withoutBlanks(asCompletion(plain)));
    }),
  );
});

/** Arguments of calls are JSON text; blanks in it mean nothing. */
function withoutBlanks(completion: Json): object {
  const copy: unknown = JSON.parse(JSON.stringify(completion), (key, value: unknown) =>
    key === 'arguments' && typeof value === 'string' ? JSON.stringify(JSON.parse(value)) : value,
  );
  return typeof copy === 'object' && copy !== null ? copy : {};
}
