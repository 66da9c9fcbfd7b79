import { z } from 'zod';
import type { Json } from '../../../../json.ts';
import type { Problem } from '../format.ts';
import { anyObject, problem, schemaProblem } from '../schema.ts';

/** What the provider says to a responses request; undefined when it takes it. */
export function responsesProblem(request: Json): Problem | undefined {
  return schemaProblem(requestSchema, request) ?? together(requestSchema.parse(request));
}

const cacheable = { prompt_cache_breakpoint: anyObject.optional() };
const inputText = z.strictObject({ type: z.literal('input_text'), text: z.string(), ...cacheable });

const inputPart = z.discriminatedUnion('type', [
  inputText,
  z.strictObject({
    type: z.literal('input_image'),
    image_url: z.string().nullish(),
    file_id: z.string().nullish(),
    detail: z.enum(['auto', 'low', 'high', 'original']).optional(),
    ...cacheable,
  }),
  z.strictObject({
    type: z.literal('input_file'),
    file_data: z.string().optional(),
    file_id: z.string().nullish(),
    file_url: z.string().optional(),
    filename: z.string().optional(),
    ...cacheable,
  }),
]);

const outputPart = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('output_text'),
    text: z.string(),
    annotations: z.array(anyObject).optional(),
    logprobs: z.array(anyObject).optional(),
  }),
  z.strictObject({ type: z.literal('refusal'), refusal: z.string() }),
]);

const status = z.enum(['in_progress', 'completed', 'incomplete']).optional();
const isMessage = { type: z.literal('message').optional(), status };

/** Messages are told apart by role: what the model said is output, everything else input. */
const message = z.discriminatedUnion('role', [
  z.strictObject({ ...isMessage, role: z.literal('user'), content: z.union([z.string(), z.array(inputPart)]) }),
  z.strictObject({ ...isMessage, role: z.literal('system'), content: z.union([z.string(), z.array(inputPart)]) }),
  z.strictObject({ ...isMessage, role: z.literal('developer'), content: z.union([z.string(), z.array(inputPart)]) }),
  z.strictObject({
    ...isMessage,
    role: z.literal('assistant'),
    id: z.string().optional(),
    phase: z.enum(['commentary', 'final_answer']).nullish(),
    content: z.union([z.string(), z.array(outputPart)]),
  }),
]);

const callId = z.string().min(1).max(64);
const item = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('function_call'),
    id: z.string().optional(),
    call_id: callId,
    name: z.string().min(1),
    arguments: z.string(),
    status,
  }),
  z.strictObject({
    type: z.literal('function_call_output'),
    id: z.string().nullish(),
    call_id: callId,
    output: z.union([z.string(), z.array(inputPart)]),
    status: status.nullable(),
  }),
  z.strictObject({
    type: z.literal('reasoning'),
    id: z.string(),
    summary: z.array(z.strictObject({ type: z.literal('summary_text'), text: z.string() })),
    content: z.array(anyObject).optional(),
    encrypted_content: z.string().nullish(),
    status,
  }),
  z.strictObject({ type: z.literal('item_reference'), id: z.string() }),
  z.looseObject({ type: z.enum(['custom_tool_call', 'custom_tool_call_output']), call_id: callId }),
]);

/** Tools of the client's own; the provider's tools have members of their own. */
const tool = z.union([
  z.strictObject({
    type: z.literal('function'),
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'expected 1 to 64 letters, digits, _ or -'),
    description: z.string().nullish(),
    parameters: anyObject.nullish(),
    strict: z.boolean().nullish(),
  }),
  z.looseObject({
    type: z.enum(['custom', 'file_search', 'web_search', 'mcp', 'code_interpreter', 'image_generation']),
  }),
]);

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('function'), name: z.string() }),
    z.strictObject({ type: z.literal('custom'), name: z.string() }),
    z.looseObject({ type: z.enum(['allowed_tools', 'file_search', 'web_search_preview', 'mcp']) }),
  ]),
]);

const textFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    name: z.string(),
    schema: anyObject,
    description: z.string().optional(),
    strict: z.boolean().nullish(),
  }),
]);

const requestSchema = z.strictObject({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(z.union([item, message])).min(1)]),
  background: z.boolean().nullish(),
  conversation: z.union([z.string(), z.strictObject({ id: z.string() })]).nullish(),
  include: z.array(z.string()).nullish(),
  instructions: z.string().nullish(),
  max_output_tokens: z.int().min(16).nullish(),
  max_tool_calls: z.int().min(1).nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  moderation: anyObject.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  previous_response_id: z.string().nullish(),
  prompt: anyObject.nullish(),
  prompt_cache_key: z.string().nullish(),
  prompt_cache_options: anyObject.optional(),
  prompt_cache_retention: z.enum(['in_memory', '24h']).nullish(),
  reasoning: z
    .strictObject({
      effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
      summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
      generate_summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
    })
    .nullish(),
  safety_identifier: z.string().nullish(),
  service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority', 'fast']).nullish(),
  store: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.strictObject({ include_obfuscation: z.boolean().optional() }).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  text: z
    .strictObject({ format: textFormat.optional(), verbosity: z.enum(['low', 'medium', 'high']).nullish() })
    .optional(),
  tool_choice: toolChoice.optional(),
  tools: z.array(tool).optional(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  user: z.string().optional(),
});
type Responses = z.infer<typeof requestSchema>;

/** What is wrong between members that are right each for itself. */
function together(request: Responses): Problem | undefined {
  if (request.stream !== true && (request.stream_options ?? undefined) !== undefined)
    return problem("'stream_options' is only allowed when 'stream' is enabled.", 'stream_options');
  const { tools = [], tool_choice: choice } = request;
  if (choice === 'required' && tools.length === 0)
    return problem("Tool choice 'required' must be specified with 'tools'.", 'tool_choice');
  if (typeof choice === 'object' && choice.type === 'function' && !tools.some((one) => one['name'] === choice.name))
    return problem(`Tool choice '${choice.name}' is not among the tools.`, 'tool_choice');
  // What an earlier response said is known to the provider only, so calls cannot be matched.
  return typeof request.previous_response_id === 'string' ? undefined : calls(request.input);
}

function calls(input: Responses['input']): Problem | undefined {
  if (typeof input === 'string') return undefined;
  const open = new Set<string>();
  for (const one of input) {
    if (one.type === 'function_call') open.add(one.call_id);
    if (one.type === 'function_call_output' && !open.delete(one.call_id))
      return problem(`No tool call found for function call output with call_id ${one.call_id}.`, 'input');
  }
  if (open.size === 0) return undefined;
  return problem(`No tool output found for function call ${[...open].join(', ')}.`, 'input');
}
