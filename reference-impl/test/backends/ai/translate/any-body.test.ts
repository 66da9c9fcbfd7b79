import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../backends/json.ts';
import { completionsToConverse } from '../../../../backends/ai/translate/completions-to-converse.ts';
import { completionsToMessages } from '../../../../backends/ai/translate/completions-to-messages.ts';
import { embeddingsToInvoke } from '../../../../backends/ai/translate/embeddings-to-invoke.ts';
import { messagesToCompletions } from '../../../../backends/ai/translate/messages-to-completions.ts';
import { messagesToConverse } from '../../../../backends/ai/translate/messages-to-converse.ts';
import { messagesToResponses } from '../../../../backends/ai/translate/messages-to-responses.ts';
import { responsesToCompletions } from '../../../../backends/ai/translate/responses-to-completions.ts';
import { responsesToConverse } from '../../../../backends/ai/translate/responses-to-converse.ts';
import { UnreadableReply, UnsupportedByFormat } from '../../../../backends/ai/translate/translation.ts';

const stamp = { created: 5, id: () => '0123456789abcdef' };

const MEMBERS = [
  'messages',
  'role',
  'content',
  'text',
  'type',
  'system',
  'input',
  'output',
  'instructions',
  'tools',
  'tool_choice',
  'tool_calls',
  'function',
  'arguments',
  'input_schema',
  'source',
  'image_url',
  'url',
  'thinking',
  'output_config',
  'choices',
  'message',
  'usage',
  'stop',
  'response_format',
  'json_schema',
  'error',
  'reasoning',
  'n',
  'stop_reason',
  'toolUse',
  'reasoningContent',
  'embeddings',
];
const WORDS = [
  'user',
  'assistant',
  'system',
  'tool',
  'text',
  'image',
  'tool_use',
  'tool_result',
  'function',
  'function_call',
  'function_call_output',
  'message',
  'input_text',
  'image_url',
  'adaptive',
  'json_schema',
  'constructor',
  '__proto__',
];

/** Bodies of the right words in the wrong places. */
const { body } = fc.letrec<{ value: unknown; body: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.oneof(fc.constantFrom(...WORDS, null, true, 1, ''), fc.string()),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('body'),
  ),
  body: fc.dictionary(fc.constantFrom(...MEMBERS), tie('value'), { maxKeys: 6 }),
}));

function outcome(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

describe.each([
  messagesToCompletions,
  messagesToResponses,
  completionsToMessages,
  responsesToCompletions,
  completionsToConverse,
  messagesToConverse,
  responsesToConverse,
  embeddingsToInvoke,
])('$from in front of $to', (translation) => {
  test('any body is translated, or refused with a reason', () => {
    fc.assert(
      fc.property(body, (json) => {
        const request = outcome(() => translation.request(json));
        const reply = outcome(() => translation.reply(json, stamp));
        if (request instanceof Error) expect(request).toBeInstanceOf(UnsupportedByFormat);
        if (reply instanceof Error) expect(reply).toBeInstanceOf(UnreadableReply);
        expect(translation.error(500, json)).toHaveProperty('error');
      }),
      { numRuns: 500 },
    );
  });
});
