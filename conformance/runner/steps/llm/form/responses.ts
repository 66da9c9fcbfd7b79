import { z } from 'zod';
import { count } from './count.ts';

const part = z.union([
  z.looseObject({ type: z.literal('output_text'), text: z.string(), annotations: z.array(z.unknown()) }),
  z.looseObject({ type: z.literal('refusal'), refusal: z.string() }),
  z.looseObject({ type: z.literal('reasoning_text'), text: z.string() }),
]);

const status = z.enum(['in_progress', 'completed', 'incomplete']);
const NAMED = /^(?!(?:message|function_call|reasoning)$)/;

const item = z.union([
  z.looseObject({
    type: z.literal('message'),
    id: z.string().min(1),
    role: z.literal('assistant'),
    status,
    content: z.array(part),
  }),
  z.looseObject({
    type: z.literal('function_call'),
    call_id: z.string().min(1),
    name: z.string().min(1),
    arguments: z.string(),
  }),
  z.looseObject({ type: z.literal('reasoning'), id: z.string().min(1), summary: z.array(z.unknown()) }),
  z.looseObject({ type: z.string().regex(NAMED, { error: 'an item of this type', abort: true }) }),
]);

const tokens = z.looseObject({
  input_tokens: count,
  input_tokens_details: z.looseObject({ cached_tokens: count }),
  output_tokens: count,
  output_tokens_details: z.looseObject({ reasoning_tokens: count }),
  total_tokens: count,
});

/** A response: members of `Response` of the package openai that say something of the answer. What only repeats the request may be left out, and that nothing went wrong too. */
export const responseSchema = z
  .looseObject({
    id: z.string().min(1),
    object: z.literal('response'),
    created_at: z.number(),
    status: z.enum(['completed', 'failed', 'in_progress', 'cancelled', 'queued', 'incomplete']),
    error: z.looseObject({ code: z.string(), message: z.string() }).nullish(),
    incomplete_details: z.looseObject({}).nullish(),
    model: z.string().min(1),
    output: z.array(item),
    usage: tokens.nullish(),
  })
  .check(({ value: { status: ofWhole, output }, issues }) => {
    if (ofWhole !== 'completed') return;
    for (const [at, { type, status: ofItem }] of output.entries())
      if ((type === 'message' || type === 'function_call') && ofItem != undefined && ofItem !== 'completed')
        issues.push({
          code: 'custom',
          message: 'completed, as the response is',
          input: ofItem,
          path: ['output', at, 'status'],
        });
  });

const numbered = { sequence_number: count };
const ofItem = { ...numbered, item_id: z.string().min(1), output_index: count };
const ofPart = { ...ofItem, content_index: count };
const whole = z.looseObject({ ...numbered, response: responseSchema });

/** Events of a response, `ResponseStreamEvent`. One of another type is none of the format, and whoever reads skips it. */
export const responseEventSchemas: Readonly<Record<string, z.ZodType>> = {
  'response.created': whole,
  'response.in_progress': whole,
  'response.completed': whole,
  'response.incomplete': whole,
  'response.failed': whole,
  'response.output_item.added': z.looseObject({ ...numbered, output_index: count, item }),
  'response.output_item.done': z.looseObject({ ...numbered, output_index: count, item }),
  'response.content_part.added': z.looseObject({ ...ofPart, part }),
  'response.content_part.done': z.looseObject({ ...ofPart, part }),
  'response.output_text.delta': z.looseObject({ ...ofPart, delta: z.string() }),
  'response.output_text.done': z.looseObject({ ...ofPart, text: z.string() }),
  'response.refusal.delta': z.looseObject({ ...ofPart, delta: z.string() }),
  'response.refusal.done': z.looseObject({ ...ofPart, refusal: z.string() }),
  'response.function_call_arguments.delta': z.looseObject({ ...ofItem, delta: z.string() }),
  'response.function_call_arguments.done': z.looseObject({ ...ofItem, arguments: z.string() }),
};
