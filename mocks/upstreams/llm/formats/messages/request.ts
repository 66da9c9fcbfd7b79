import { z } from 'zod';
import type { Json } from '../../../../json.ts';
import { answerSchemaProblem } from '../answer-schema.ts';
import type { Problem } from '../format.ts';
import { anyObject, problem, schemaProblem } from '../schema.ts';

/** What the provider says to a messages request; undefined when it takes it. */
export function messagesProblem(request: Json): Problem | undefined {
  return schemaProblem(requestSchema, request) ?? together(requestSchema.parse(request));
}

const cacheControl = z.strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() }).nullish();
const cacheable = { cache_control: cacheControl };
const someText = z.string().regex(/\S/, 'text content must not be empty');

const textBlock = z.strictObject({
  type: z.literal('text'),
  text: someText,
  citations: z.array(anyObject).nullish(),
  ...cacheable,
});

const imageBlock = z.strictObject({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('base64'),
      media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
      data: z.base64(),
    }),
    z.strictObject({ type: z.literal('url'), url: z.string().regex(/^https?:\/\//, 'expected an http(s) URL') }),
    z.strictObject({ type: z.literal('file'), file_id: z.string() }),
  ]),
  transformations: anyObject.nullish(),
  ...cacheable,
});

const documentBlock = z.strictObject({
  type: z.literal('document'),
  source: z.looseObject({ type: z.enum(['base64', 'text', 'content', 'url', 'file']) }),
  citations: anyObject.nullish(),
  context: z.string().nullish(),
  title: z.string().nullish(),
  ...cacheable,
});

const toolResult = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string().regex(/^[a-zA-Z0-9_-]+$/, 'expected letters, digits, _ or -'),
  content: z
    .union([z.string(), z.array(z.discriminatedUnion('type', [textBlock, imageBlock, documentBlock]))])
    .optional(),
  is_error: z.boolean().optional(),
  ...cacheable,
});

const toolUse = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[a-zA-Z0-9_-]+$/, 'expected letters, digits, _ or -'),
  name: z.string().min(1),
  input: anyObject,
  ...cacheable,
});

const thinkingBlock = z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() });
const redacted = z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() });

const userBlocks = z.discriminatedUnion('type', [textBlock, imageBlock, documentBlock, toolResult]);
const assistantBlocks = z.discriminatedUnion('type', [textBlock, toolUse, thinkingBlock, redacted]);

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('user'), content: z.union([someText, z.array(userBlocks).min(1)]) }),
  z.strictObject({ role: z.literal('assistant'), content: z.union([someText, z.array(assistantBlocks).min(1)]) }),
  z.strictObject({ role: z.literal('system'), content: z.union([someText, z.array(textBlock).min(1)]) }),
]);

/** A tool of the client's own; the provider's tools have a dated type and members of their own. */
const tool = z.union([
  z.strictObject({
    type: z.literal('custom').nullish(),
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/, 'expected 1 to 128 letters, digits, _ or -'),
    description: z.string().optional(),
    input_schema: z.looseObject({ type: z.literal('object') }),
    strict: z.boolean().optional(),
    // Messages API, `tools`: the input of this tool comes in pieces that are no valid JSON yet.
    eager_input_streaming: z.boolean().nullish(),
    ...cacheable,
  }),
  z.looseObject({ type: z.string().regex(/_\d{8}$/, 'expected a type of tool'), name: z.string() }),
]);

const parallel = { disable_parallel_tool_use: z.boolean().optional() };
const toolChoice = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('auto'), ...parallel }),
  z.strictObject({ type: z.literal('any'), ...parallel }),
  z.strictObject({ type: z.literal('tool'), name: z.string(), ...parallel }),
  z.strictObject({ type: z.literal('none') }),
]);

const display = { display: z.enum(['summarized', 'omitted']).nullish() };
const thinking = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1024), ...display }),
  z.strictObject({ type: z.literal('adaptive'), ...display }),
  z.strictObject({ type: z.literal('disabled') }),
]);

const thread = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('create') }),
  z.strictObject({ type: z.literal('continue'), previous_message_id: z.string() }),
]);

const requestSchema = z.strictObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  max_tokens: z.int().min(1),
  cache_control: cacheControl,
  container: z.union([z.string(), anyObject]).nullish(),
  diagnostics: z.strictObject({ previous_message_id: z.string().nullish() }).nullish(),
  inference_geo: z.string().nullish(),
  metadata: z.strictObject({ user_id: z.string().nullish() }).optional(),
  output_config: z
    .strictObject({
      effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
      format: z.strictObject({ type: z.literal('json_schema'), schema: anyObject }).nullish(),
    })
    .optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  speed: z.enum(['standard', 'fast']).nullish(),
  stop_sequences: z.array(z.string().regex(/\S/, 'each stop sequence must contain non-whitespace')).optional(),
  stream: z.boolean().optional(),
  system: z.union([z.string(), z.array(textBlock)]).optional(),
  temperature: z.number().min(0).max(1).optional(),
  thinking: thinking.optional(),
  // Of its beta.
  thread: thread.nullish(),
  tool_choice: toolChoice.optional(),
  tools: z.array(tool).optional(),
  top_k: z.int().min(0).optional(),
  top_p: z.number().min(0).max(1).optional(),
  user_profile_id: z.string().optional(),
  workspace_id: z.string().optional(),
});
type Messages = z.infer<typeof requestSchema>;
type Message = Messages['messages'][number];

/** What is wrong between members that are right each for itself. */
function together(request: Messages): Problem | undefined {
  const { messages } = request;
  if (messages[0]?.role === 'system')
    return problem("messages[0]: the first message cannot be of role 'system'; use the top-level system parameter");
  return (
    chosenToolProblem(request) ??
    thinkingProblem(request) ??
    thoughtsOfLastTurnProblem(request) ??
    schemasProblem(request) ??
    toolTurns(messages)
  );
}

function chosenToolProblem({ tools = [], tool_choice: choice }: Messages): Problem | undefined {
  if (choice !== undefined && tools.length === 0)
    return problem('tool_choice may only be specified while providing tools', 'tool_choice');
  if (choice?.type === 'tool' && !tools.some((one) => one.name === choice.name))
    return problem(`tool_choice: tool '${choice.name}' is not among the tools`, 'tool_choice');
  return undefined;
}

/** Guide to extended thinking, "Feature compatibility": no other temperature, no `top_k`, `top_p` from 0.95, no tools that are forced. */
function thinkingProblem(request: Messages): Problem | undefined {
  const { thinking: thoughts, tool_choice: choice } = request;
  if (thoughts?.type !== 'enabled') return undefined;
  if (thoughts.budget_tokens >= request.max_tokens)
    return problem('max_tokens must be greater than thinking.budget_tokens', 'max_tokens');
  if ((request.temperature ?? 1) !== 1)
    return problem('temperature may only be set to 1 when thinking is enabled', 'temperature');
  if (request.top_k !== undefined) return problem('top_k must be unset when thinking is enabled', 'top_k');
  if ((request.top_p ?? 1) < LEAST_TOP_P)
    return problem(`top_p must be at least ${LEAST_TOP_P} when thinking is enabled`, 'top_p');
  if (choice?.type !== 'any' && choice?.type !== 'tool') return undefined;
  return problem('thinking may not be enabled when tool_choice forces tool use', 'thinking');
}

const LEAST_TOP_P = 0.95;

/** Guide to extended thinking, "Preserving thinking blocks": the turn whose tools are answered now begins with what the model thought. */
function thoughtsOfLastTurnProblem({ thinking: thoughts, messages }: Messages): Problem | undefined {
  if (thoughts?.type !== 'enabled') return undefined;
  const turns = turnsOf(messages).map(([, parts]) => parts);
  const [called = [], answered = []] = turns.slice(-2);
  if (!answered.some(({ type }) => type === 'tool_result')) return undefined;
  const first = called[0]?.type;
  if (first === 'thinking' || first === 'redacted_thinking') return undefined;
  return problem(
    `messages: expected thinking or redacted_thinking, found ${first}: the last assistant message must start with it`,
  );
}

/** Guide to structured outputs, "JSON Schema limitations": of the schema of an answer and of strict tools; other tools may have any. */
function schemasProblem({ output_config: output, tools = [] }: Messages): Problem | undefined {
  const strict = tools.flatMap((one) => ('input_schema' in one && one['strict'] === true ? [one['input_schema']] : []));
  const found = [output?.format?.schema, ...strict]
    .map((schema) => answerSchemaProblem(schema))
    .find((why) => why !== undefined);
  return found === undefined ? undefined : problem(`output_config.format.schema: ${found}`);
}

/**
 * The results stand at the beginning of the turn right after the calls; every call has one, and nothing else has. Messages of one role that
 * follow each other are one turn (Messages API, `messages`: consecutive turns are combined).
 */
function toolTurns(messages: readonly Message[]): Problem | undefined {
  let open: readonly string[] = [];
  for (const [index, turn] of turnsOf(messages)) {
    const results = turn.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
    const stray = results.find((id) => !open.includes(id));
    if (stray !== undefined)
      return problem(`messages[${index}]: unexpected tool_use_id found in tool_result blocks: ${stray}`);
    const missing = open.filter((id) => !results.includes(id));
    if (missing.length > 0)
      return problem(`messages[${index - 1}]: tool_use ids without tool_result right after: ${missing.join(', ')}`);
    if (turn.findLastIndex(({ type }) => type === 'tool_result') >= results.length)
      return problem(`messages[${index}]: tool_result blocks must come first`);
    open = turn.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
  }
  if (open.length === 0) return undefined;
  return problem(`messages[${messages.length - 1}]: tool_use ids without tool_result: ${open.join(', ')}`);
}

type Block = Exclude<Message['content'], string>[number];

/** The blocks of each turn, beside the place of its first message. */
function turnsOf(messages: readonly Message[]): readonly (readonly [index: number, blocks: readonly Block[]])[] {
  const turns: (readonly [number, readonly Block[]])[] = [];
  for (const [index, one] of messages.entries()) {
    const before = turns.at(-1);
    if (before !== undefined && messages[index - 1]?.role === one.role)
      turns.splice(-1, 1, [before[0], [...before[1], ...blocks(one)]]);
    else turns.push([index, blocks(one)]);
  }
  return turns;
}

function blocks({ content }: Message): Exclude<Message['content'], string> {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
