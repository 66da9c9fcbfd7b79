import { z } from 'zod';
import { LLM_FORMATS, type LlmFormat } from '../../values/llm-format.ts';
import { orPlaceholder } from '../authoring.ts';
import { connectionMember, versionMember, whereShape, type HttpCall } from '../http-input.ts';

const object = z.record(z.string(), z.unknown());

/** The `llm` step as written. What it leaves out is what a client of the format would send. */
export const llmInputSchema = z
  .strictObject({
    POST: z.string().optional().describe('target of the request; the usual path of the format when absent'),
    format: orPlaceholder(z.enum(LLM_FORMATS))
      .optional()
      .describe('the API the client speaks; follows from the end of the path when absent, else Completions'),
    model: z.string().optional().describe('the model that is asked for; none is named when absent'),
    user: z.string().optional().describe('one message of the user, or the text to be embedded; hello when absent'),
    messages: z
      .union([z.array(object), z.string()])
      .optional()
      .describe('the conversation in the words of the format (input of Responses and Embeddings), instead of user'),
    system: z.string().optional().describe('instructions, where the format wants them'),
    limit: z
      .int()
      .min(1)
      .optional()
      .describe('how many tokens the answer may have, in the member of the format; only Messages has to say, and does'),
    stream: orPlaceholder(z.boolean()).optional().describe('asks for a stream of events; nothing is said when absent'),
    body: object.optional().describe('further members of the body; they win over the others'),
    key: z
      .string()
      .optional()
      .describe("the client's credential, in the header of the format; none is sent when absent"),
    headers: z
      .record(z.string(), z.union([z.string(), z.number(), z.null()]))
      .optional()
      .describe('replaces what a client of the format sends; null leaves a header out'),
    ...whereShape,
    connection: connectionMember,
    httpVersion: versionMember,
  })
  .refine((input) => input.user === undefined || input.messages === undefined, 'write one of user and messages');

export type LlmInput = z.infer<typeof llmInputSchema>;

/** The request of an interpolated input, as a client of its format sends it. */
export function llmCall(input: LlmInput): HttpCall {
  const format = formatOf(input);
  const body = Buffer.from(JSON.stringify({ ...BODIES[format](input), ...input.body }), 'utf8');
  return {
    method: 'POST',
    path: input.POST ?? PATHS[format],
    headers: headersOf(format, input),
    parts: [body],
    framing: 'length',
    trailers: {},
  };
}

/** The format the client speaks. */
export function formatOf({ format, POST: path }: { readonly format?: unknown; readonly POST?: unknown }): LlmFormat {
  const named = LLM_FORMATS.find((one) => one === format);
  const [place = ''] = typeof path === 'string' ? path.split('?', 1) : [];
  return named ?? LLM_FORMATS.find((one) => place.endsWith(SUFFIXES[one])) ?? 'Completions';
}

const SUFFIXES: Readonly<Record<LlmFormat, string>> = {
  Completions: '/chat/completions',
  Messages: '/messages',
  Responses: '/responses',
  Embeddings: '/embeddings',
};

const PATHS: Readonly<Record<LlmFormat, string>> = {
  Completions: '/v1/chat/completions',
  Messages: '/v1/messages',
  Responses: '/v1/responses',
  Embeddings: '/v1/embeddings',
};

type Body = Readonly<Record<string, unknown>>;

const BODIES: Readonly<Record<LlmFormat, (input: LlmInput) => Body>> = {
  Completions: ({ system, ...input }) => ({
    ...modelOf(input),
    messages: [...(system === undefined ? [] : [{ role: 'system', content: system }]), ...conversation(input)],
    ...limitOf('max_tokens', input),
    ...streamOf(input),
  }),
  Messages: ({ system, ...input }) => ({
    ...modelOf(input),
    max_tokens: input.limit ?? 1024,
    ...(system === undefined ? {} : { system }),
    messages: conversation(input),
    ...streamOf(input),
  }),
  Responses: ({ system, ...input }) => ({
    ...modelOf(input),
    ...(system === undefined ? {} : { instructions: system }),
    input: input.messages ?? input.user ?? 'hello',
    ...limitOf('max_output_tokens', input),
    ...streamOf(input),
  }),
  Embeddings: (input) => ({ ...modelOf(input), input: input.messages ?? input.user ?? 'hello' }),
};

function modelOf({ model }: LlmInput): Body {
  return model === undefined ? {} : { model };
}

function conversation({ messages, user }: LlmInput): readonly unknown[] {
  return Array.isArray(messages) ? messages : [{ role: 'user', content: user ?? 'hello' }];
}

function limitOf(member: string, { limit }: LlmInput): Body {
  return limit === undefined ? {} : { [member]: limit };
}

function streamOf({ stream }: LlmInput): Body {
  return stream === undefined ? {} : { stream: stream === true || stream === 'true' };
}

/** Headers of a client; what the case names replaces them, null leaves one out. */
function headersOf(format: LlmFormat, { key, headers = {} }: LlmInput): [string, string][] {
  const credential = format === 'Messages' ? { 'x-api-key': key } : { authorization: `Bearer ${key}` };
  const usual: Readonly<Record<string, string | number | null | undefined>> = {
    'content-type': 'application/json',
    ...(format === 'Messages' ? { 'anthropic-version': '2023-06-01' } : {}),
    ...(key === undefined ? {} : credential),
  };
  const own = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const all = [...Object.entries(usual).filter(([name]) => !own.has(name)), ...Object.entries(headers)];
  return all.flatMap(([name, value]): [string, string][] =>
    value === null || value === undefined ? [] : [[name, String(value)]],
  );
}
