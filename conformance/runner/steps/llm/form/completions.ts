import { z } from 'zod';
import { count } from './count.ts';

const tokens = z.looseObject({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_tokens_details: z.looseObject({ cached_tokens: count.optional(), audio_tokens: count.optional() }).nullish(),
  completion_tokens_details: z
    .looseObject({ reasoning_tokens: count.optional(), audio_tokens: count.optional() })
    .nullish(),
});

const finish = z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'function_call']);

const call = z.union([
  z.looseObject({
    id: z.string().min(1),
    type: z.literal('function'),
    function: z.looseObject({ name: z.string().min(1), arguments: z.string() }),
  }),
  z.looseObject({ id: z.string().min(1), type: z.literal('custom') }),
]);

/** A chat completion: the members that `ChatCompletion` of the package openai does not make optional. */
export const completionSchema = z.looseObject({
  id: z.string().min(1),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string().min(1),
  choices: z
    .array(
      z.looseObject({
        index: count,
        finish_reason: finish,
        message: z.looseObject({
          role: z.literal('assistant'),
          content: z.string().nullable(),
          tool_calls: z.array(call).min(1).optional(),
        }),
      }),
    )
    .min(1),
  usage: tokens.optional(),
});

const callPiece = z.looseObject({
  index: count,
  id: z.string().min(1).optional(),
  type: z.literal('function').optional(),
  function: z.looseObject({ name: z.string().optional(), arguments: z.string().optional() }).optional(),
});

/** A chunk of one: `ChatCompletionChunk`. Which chunk has the role, or a text, is the provider's choice; that there is no reason yet may go unsaid. */
export const completionChunkSchema = z.looseObject({
  id: z.string().min(1),
  object: z.literal('chat.completion.chunk'),
  created: z.int(),
  model: z.string().min(1),
  choices: z.array(
    z.looseObject({
      index: count,
      finish_reason: finish.nullish(),
      delta: z.looseObject({
        role: z.literal('assistant').optional(),
        content: z.string().nullish(),
        refusal: z.string().nullish(),
        tool_calls: z.array(callPiece).optional(),
      }),
    }),
  ),
  usage: tokens.nullish(),
});
