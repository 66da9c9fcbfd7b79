import { z } from 'zod';
import type { Json } from '../../../../json.ts';
import type { Problem } from '../format.ts';
import { anyObject, problem, schemaProblem } from '../schema.ts';

/** What the provider says to a chat completions request; undefined when it takes it. */
export function completionsProblem(request: Json): Problem | undefined {
  return schemaProblem(requestSchema, request) ?? together(requestSchema.parse(request));
}

const cacheable = { prompt_cache_breakpoint: anyObject.optional() };
const textPart = z.strictObject({ type: z.literal('text'), text: z.string(), ...cacheable });
const refusalPart = z.strictObject({ type: z.literal('refusal'), refusal: z.string() });

const userPart = z.discriminatedUnion('type', [
  textPart,
  z.strictObject({
    type: z.literal('image_url'),
    image_url: z.strictObject({
      url: z.string().regex(/^(https?:\/\/|data:image\/)/, 'expected an http(s) or data URL of an image'),
      detail: z.enum(['auto', 'low', 'high', 'original']).optional(),
    }),
    ...cacheable,
  }),
  z.strictObject({
    type: z.literal('input_audio'),
    input_audio: z.strictObject({ data: z.string(), format: z.enum(['wav', 'mp3']) }),
    ...cacheable,
  }),
  z.strictObject({
    type: z.literal('file'),
    file: z.strictObject({
      file_data: z.string().optional(),
      file_id: z.string().optional(),
      filename: z.string().optional(),
    }),
    ...cacheable,
  }),
]);

const texts = z.union([z.string(), z.array(textPart).min(1)]);
const name = z.string().optional();

const toolCall = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('function'),
    id: z.string().min(1),
    function: z.strictObject({ name: z.string().min(1), arguments: z.string() }),
  }),
  z.strictObject({
    type: z.literal('custom'),
    id: z.string().min(1),
    custom: z.strictObject({ name: z.string().min(1), input: z.string() }),
  }),
]);

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('developer'), content: texts, name }),
  z.strictObject({ role: z.literal('system'), content: texts, name }),
  z.strictObject({ role: z.literal('user'), content: z.union([z.string(), z.array(userPart).min(1)]), name }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [textPart, refusalPart])).min(1)]).nullish(),
    refusal: z.string().nullish(),
    // An answer has them (Chat API reference, `choices[].message.annotations`), and clients send their history as they got it.
    annotations: z.array(anyObject).nullish(),
    name,
    audio: z.strictObject({ id: z.string() }).nullish(),
    function_call: z.strictObject({ name: z.string(), arguments: z.string() }).nullish(),
    tool_calls: z.array(toolCall).min(1).optional(),
  }),
  z.strictObject({ role: z.literal('tool'), content: texts, tool_call_id: z.string().min(1) }),
  z.strictObject({ role: z.literal('function'), content: z.string().nullable(), name: z.string() }),
]);

const functionName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'expected 1 to 64 letters, digits, _ or -');

const tool = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('function'),
    function: z.strictObject({
      name: functionName,
      description: z.string().optional(),
      parameters: anyObject.optional(),
      strict: z.boolean().nullish(),
    }),
  }),
  z.strictObject({ type: z.literal('custom'), custom: z.looseObject({ name: functionName }) }),
]);

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: z.string() }) }),
    z.strictObject({ type: z.literal('custom'), custom: z.strictObject({ name: z.string() }) }),
    z.strictObject({ type: z.literal('allowed_tools'), allowed_tools: anyObject }),
  ]),
]);

const responseFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    json_schema: z.strictObject({
      name: functionName,
      description: z.string().optional(),
      schema: anyObject.optional(),
      strict: z.boolean().nullish(),
    }),
  }),
]);

const requestSchema = z.strictObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  audio: anyObject.nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  function_call: z.union([z.enum(['none', 'auto']), z.strictObject({ name: z.string() })]).optional(),
  functions: z.array(anyObject).min(1).optional(),
  logit_bias: z.record(z.string(), z.number()).nullish(),
  logprobs: z.boolean().nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  max_tokens: z.int().min(1).nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  modalities: z.array(z.enum(['text', 'audio'])).nullish(),
  moderation: anyObject.nullish(),
  n: z.int().min(1).max(128).nullish(),
  parallel_tool_calls: z.boolean().optional(),
  prediction: anyObject.nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  prompt_cache_key: z.string().nullish(),
  prompt_cache_options: anyObject.optional(),
  prompt_cache_retention: z.enum(['in_memory', '24h']).nullish(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  response_format: responseFormat.optional(),
  safety_identifier: z.string().nullish(),
  seed: z.int().nullish(),
  service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority', 'fast']).nullish(),
  stop: z.union([z.string(), z.array(z.string()).min(1).max(4)]).nullish(),
  store: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z
    .strictObject({ include_usage: z.boolean().optional(), include_obfuscation: z.boolean().optional() })
    .nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  tool_choice: toolChoice.optional(),
  tools: z.array(tool).min(1).max(128).optional(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  user: z.string().optional(),
  verbosity: z.enum(['low', 'medium', 'high']).nullish(),
  web_search_options: anyObject.optional(),
});
type Completions = z.infer<typeof requestSchema>;

/** Models that count what they think do not know the older limit. */
const REASONING_MODEL = /^(o\d|gpt-5)/;

/** What is wrong between members that are right each for itself. */
function together(request: Completions): Problem | undefined {
  return (
    streamProblem(request) ??
    toolsProblem(request) ??
    limitProblem(request) ??
    chosenToolProblem(request) ??
    toolTurns(request.messages)
  );
}

function streamProblem({ stream, stream_options: options }: Completions): Problem | undefined {
  if (stream === true || (options ?? undefined) === undefined) return undefined;
  return problem("'stream_options' is only allowed when 'stream' is enabled.", 'stream_options');
}

function toolsProblem(request: Completions): Problem | undefined {
  const { tools, tool_choice: choice } = request;
  if (tools === undefined && choice !== undefined && choice !== 'none')
    return problem("'tool_choice' is only allowed when 'tools' are specified.", 'tool_choice');
  if (tools === undefined && request.parallel_tool_calls !== undefined)
    return problem("'parallel_tool_calls' is only allowed when 'tools' are specified.", 'parallel_tool_calls');
  return undefined;
}

function limitProblem({
  model,
  max_tokens: limit,
  max_completion_tokens: newerLimit,
}: Completions): Problem | undefined {
  if ((limit ?? undefined) === undefined) return undefined;
  if ((newerLimit ?? undefined) !== undefined)
    return problem("Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.", 'max_tokens');
  if (!REASONING_MODEL.test(model)) return undefined;
  return problem("'max_tokens' is not supported with this model.", 'max_tokens', 'unsupported_parameter');
}

function chosenToolProblem({ tools = [], tool_choice: choice }: Completions): Problem | undefined {
  if (typeof choice !== 'object' || choice.type !== 'function') return undefined;
  const names = tools.flatMap((one) => (one.type === 'function' ? [one.function.name] : []));
  if (names.includes(choice.function.name)) return undefined;
  return problem(`Tool choice '${choice.function.name}' is not among the tools.`, 'tool_choice');
}

/** Every call is answered by the tool messages right after it, and nothing else is. */
function toolTurns(messages: Completions['messages']): Problem | undefined {
  let open = new Set<string>();
  for (const [index, turn] of messages.entries()) {
    const place = `messages[${index}]`;
    if (turn.role === 'tool') {
      if (!open.delete(turn.tool_call_id))
        return problem(`'${place}' answers no tool call of a preceding message.`, `${place}.tool_call_id`);
      continue;
    }
    if (open.size > 0) return unansweredCalls(open, place);
    if (turn.role !== 'assistant') continue;
    if (!hasContent(turn)) return problem(`'${place}' has neither content nor tool calls.`, `${place}.content`);
    open = new Set((turn.tool_calls ?? []).map((call) => call.id));
  }
  return open.size > 0 ? unansweredCalls(open, 'messages') : undefined;
}

function unansweredCalls(open: ReadonlySet<string>, place: string): Problem {
  return problem(`Tool calls without tool messages right after them: ${[...open].join(', ')}.`, place);
}

function hasContent(turn: Extract<Completions['messages'][number], { role: 'assistant' }>): boolean {
  return [turn.content, turn.refusal, turn.tool_calls, turn.function_call, turn.audio].some(
    (part) => part !== undefined && part !== null,
  );
}
