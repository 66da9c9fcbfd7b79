import { z } from 'zod';
import { count } from './count.ts';

const block = z.union([
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({
    type: z.literal('tool_use'),
    id: z.string().min(1),
    name: z.string().min(1),
    input: z.looseObject({}),
  }),
  z.looseObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.looseObject({ type: z.literal('redacted_thinking'), data: z.string() }),
  z.looseObject({
    type: z
      .string()
      .regex(/^(?!(?:text|tool_use|thinking|redacted_thinking)$)/, { error: 'a block of this type', abort: true }),
  }),
]);

const tokens = z.looseObject({
  input_tokens: count,
  output_tokens: count,
  cache_creation_input_tokens: count.nullish(),
  cache_read_input_tokens: count.nullish(),
});

const head = {
  id: z.string().min(1),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string().min(1),
  content: z.array(block),
  stop_sequence: z.string().nullable(),
  usage: tokens,
};

/** A message: members of `Message` of the package @anthropic-ai/sdk that the format always had; newer ones need not be there. */
export const messageSchema = z.looseObject({ ...head, stop_reason: z.string().min(1) });

const index = { index: count };

/** Events of a message, `RawMessageStreamEvent`. One of another type is none of the format, and whoever reads skips it. */
export const messageEventSchemas: Readonly<Record<string, z.ZodType>> = {
  message_start: z.looseObject({ message: z.looseObject({ ...head, stop_reason: z.string().nullable() }) }),
  content_block_start: z.looseObject({ ...index, content_block: block }),
  content_block_delta: z.looseObject({
    ...index,
    delta: z.union([
      z.looseObject({ type: z.literal('text_delta'), text: z.string() }),
      z.looseObject({ type: z.literal('input_json_delta'), partial_json: z.string() }),
      z.looseObject({ type: z.literal('thinking_delta'), thinking: z.string() }),
      z.looseObject({ type: z.literal('signature_delta'), signature: z.string() }),
      z.looseObject({
        type: z
          .string()
          .regex(/^(?!(?:text|input_json|thinking|signature)_delta$)/, { error: 'a delta of this type', abort: true }),
      }),
    ]),
  }),
  content_block_stop: z.looseObject(index),
  message_delta: z.looseObject({
    delta: z.looseObject({ stop_reason: z.string().nullable(), stop_sequence: z.string().nullable() }),
    usage: z.looseObject({ output_tokens: count }),
  }),
};
