import { z } from 'zod';
import { httpFaultSchema } from '../../http-exchange.ts';
import { lanesShape } from '../../lanes.ts';
import { bytesSchema, gateShape, giveUpSchema } from '../../script.ts';
import { servedShape } from '../served-shape.ts';

/** The wire formats a provider can speak. */
export const FORMATS = [
  'Completions',
  'Messages',
  'Responses',
  'Embeddings',
  'TokenCount',
  'Rerank',
  'GenerateContent',
  'RawPredict',
  'RawPredictCount',
  'Predict',
  'Rank',
  'Converse',
  'Invoke',
  'CountTokens',
  'AgentRerank',
  'ModelList',
  'MessagesModelList',
] as const;
export type FormatName = (typeof FORMATS)[number];

const format = z.enum(FORMATS);
const count = z.int().min(0);

/** Tokens as the format counts them; `input` is what the format's own member for the input says. */
const tokens = z.strictObject({
  input: count.describe('tokens of the prompt, as the format counts them'),
  output: count.describe('tokens of the reply'),
  cached: count.optional().describe('read from the cache'),
  cacheWrite: count.optional().describe('written to the cache'),
  reasoning: count.optional().describe('of the output: what the model thought before it spoke'),
  audioInput: count.optional().describe('of the input, in Completions'),
  audioOutput: count.optional().describe('of the output, in Completions'),
});
export type Tokens = z.infer<typeof tokens>;

const usage = z.union([tokens, z.literal(false)], {
  error: '{input, output, cached, …}, or false for a reply without',
});

const toolCall = z.strictObject({
  name: z.string().describe('the tool that the model calls'),
  arguments: z
    .union([z.string(), z.record(z.string(), z.json())])
    .optional()
    .describe('an object, or its JSON text as it is'),
  id: z.string().optional().describe('call_1, call_2, … when absent'),
});

const failure = z.union(
  [
    z.literal(true),
    z.strictObject({
      status: z.int().min(400).max(599).optional().describe('decides the type of the error when `type` does not'),
      type: z
        .string()
        .optional()
        .describe('type of the error, such as rate_limit_error; follows from the status when absent'),
      code: z.string().optional().describe('code of the error, where the format has one'),
      message: z.string().optional().describe('text of the error'),
    }),
  ],
  { error: 'true, or {type, code, message}' },
);
export type Failure = z.infer<typeof failure>;

const toolPiece = z.strictObject({
  index: count.optional().describe('which call; 0 when absent'),
  id: z.string().optional().describe('id of the call, with the piece that begins it; call_1, call_2, … when absent'),
  name: z.string().optional().describe('begins the call'),
  arguments: z.string().optional().describe('the next piece of its JSON text'),
});

const piece = z.union(
  [
    z.strictObject({
      delta: z.string().describe('the next words of the model'),
      choice: count.optional().describe('of which choice; 0 when absent'),
    }),
    z.strictObject({ reasoning: z.string().describe('the next words of what the model thinks') }),
    z.strictObject({ toolCall: toolPiece.describe('the beginning of a call of a tool, or the next piece of one') }),
    z.strictObject(gateShape),
    z.strictObject({ usage: tokens.describe('the count of tokens, where the format has it in a stream') }),
    z.strictObject({
      finish: z.string().describe('why the model stops: stop, length, tools, filter, or a word as it is'),
    }),
    z.strictObject({
      event: z.string().optional().describe('name of an event as it is; none when absent'),
      data: z
        .union([z.string(), z.record(z.string(), z.json())])
        .describe('data of the event: an object, or a text as it is'),
    }),
    z.strictObject({ raw: bytesSchema.describe('bytes as they are, events or not') }),
    z.strictObject({ ping: z.literal(true).describe('what keeps the stream alive, as the format does it') }),
    z.strictObject({ error: failure.describe('the error of the provider in the middle of the stream') }),
    z.strictObject({ disconnect: z.literal(true).describe('resets the connection') }),
    z.strictObject({ end: z.literal(true).describe('ends the stream without what marks its end') }),
    z.strictObject({
      done: z.literal(true).describe('ends the stream as the format does, which its last piece does by itself too'),
    }),
  ],
  {
    error:
      '{delta}, {reasoning}, {toolCall}, {gate, giveUp}, {usage}, {finish}, {event, data}, {raw}, {ping}, {error}, {disconnect}, {end} or {done}',
  },
);
export type Piece = z.infer<typeof piece>;

/** One answer of a provider. Without anything it is a short text with a believable count of tokens. */
export const llmReplySchema = z
  .strictObject({
    text: z
      .union([z.string(), z.array(z.string())])
      .optional()
      .describe('a list: one per choice, or per block'),
    reasoning: z.string().optional().describe('what the model thought before it spoke, where the format shows it'),
    models: z.array(z.string().min(1)).min(1).optional().describe('what a list of models has; one when absent'),
    toolCalls: z.array(toolCall).min(1).optional().describe('tools that the model calls, beside or instead of a text'),
    usage: usage.optional().describe('the count of tokens; false leaves it out, a believable one when absent'),
    finish: z.string().optional().describe('stop, length, tools, filter in any format; every other word as it is'),
    model: z.string().optional().describe('what the reply calls the model; the model of the request when absent'),
    with: z
      .record(z.string(), z.json())
      .optional()
      .describe('members of the document beside or instead of those of the format, at any depth; of no stream'),
    stream: z
      .array(piece)
      .optional()
      .describe('what a stream says, piece by piece; gathered for who asks for no stream'),
    slice: z.int().min(1).optional().describe('send a stream in pieces of so many bytes, wherever they cut'),
    status: z.int().min(200).max(599).optional().describe('from 400 on: the error of the provider for it'),
    error: failure.optional().describe('what the error says'),
    headers: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .optional()
      .describe('further headers of the answer, name to value'),
    json: z.json().optional().describe('this document instead'),
    body: bytesSchema.optional().describe('these bytes instead'),
    gate: z.string().min(1).optional().describe('a document follows its head when this gate opens'),
    giveUp: giveUpSchema,
    fault: httpFaultSchema
      .optional()
      .describe(
        'how the answer breaks: reset, hang (no answer), half-close, bad-chunk, garbage, or cut after so many bytes',
      ),
    fail: z.string().min(1).optional().describe('no such request may arrive; the reason is reported as a failed check'),
  })
  .refine((reply) => reply.stream === undefined || (reply.text ?? reply.toolCalls ?? reply.reasoning) === undefined, {
    error: 'a reply has stream, or text, reasoning and toolCalls',
  });
export type LlmReply = z.infer<typeof llmReplySchema>;

const match = z.strictObject({
  format: format.optional().describe('the format of the request'),
  model: z.string().optional().describe('the model that is asked for'),
  text: z.string().optional().describe('stands somewhere in the body'),
});
export type Match = z.infer<typeof match>;

/** The script of an `llm` peer: one provider that speaks one format, or several. */
export const llmScriptSchema = z.strictObject({
  kind: z.literal('llm').describe('a provider of language models'),
  format: z
    .union([format, z.array(format).min(1)], { error: `one of ${FORMATS.join(', ')}, or a list of them` })
    .optional()
    .describe('every format when absent'),
  path: z
    .string()
    .regex(/^\//, 'a path that begins with /')
    .optional()
    .describe('instead of the usual path of the format, with its query if it has one; for one format'),
  key: z.string().min(1).optional().describe('the only credential that is good; none is asked for when absent'),
  signed: z
    .strictObject({
      accessKey: z.string().min(1).describe('access key of the signature'),
      secretKey: z.string().min(1).describe('secret key of the signature'),
      sessionToken: z.string().min(1).optional().describe('session token that has to come with it; none when absent'),
      region: z.string().min(1).optional().describe('us-east-1 when absent'),
      service: z.string().min(1).optional().describe('bedrock when absent'),
    })
    .optional()
    .describe('the only signature that is good, for the formats of cloud A; none is asked for when absent'),
  extra: z.array(z.string()).optional().describe('members of a request that this provider takes beyond the format'),
  takes: z
    .literal('anything')
    .optional()
    .describe(
      'any path, credential and body, and answers in its first format, with its count of tokens in every stream: for what no real provider takes',
    ),
  ...lanesShape(match, llmReplySchema),
  ...servedShape,
});
export type LlmScript = z.infer<typeof llmScriptSchema>;
