import { z } from 'zod';
import { httpFaultSchema } from '../../http-exchange.ts';
import { lanesShape } from '../../lanes.ts';
import { bytesSchema, gateShape, giveUpSchema } from '../../script.ts';
import { servedShape } from '../served-shape.ts';

const name = z.string().min(1);

const tool = z.strictObject({
  name: name.describe('its name'),
  header: z.string().optional().describe('a call answers with the value of this field of its request, or with none'),
  text: z.string().optional().describe('a call answers with this text; with peer, name and arguments when absent'),
  isError: z.literal(true).optional().describe('a call ends as an error of the tool'),
  structured: z.record(z.string(), z.json()).optional().describe('structured content of the answer'),
});
const prompt = z.strictObject({
  name: name.describe('its name'),
  text: z.string().optional().describe('text of its message; peer and name when absent'),
});
const resource = z.strictObject({
  uri: z.string().min(1).describe('where it is'),
  name: name.optional().describe('its name; the URI when absent'),
  text: z.string().optional().describe('its text; peer and URI when absent'),
});
const template = z.strictObject({
  uriTemplate: z.string().min(1).describe('where its resources are'),
  name: name.describe('its name'),
});

const message = z.strictObject({
  method: z.string().describe('what the server says or asks'),
  params: z.record(z.string(), z.json()).optional().describe('its parameters'),
  id: z
    .union([z.string(), z.int()])
    .optional()
    .describe('a request of the server with this id; a notification when absent'),
});
const broken = z.strictObject({ reset: z.literal(true).describe('resets the connection') });
const said = z.union([message, z.strictObject(gateShape), broken], {
  error: '{method, params, id}, {gate, giveUp} or {reset: true}',
});
export type Said = z.infer<typeof said>;

const error = z.strictObject({
  code: z.int().describe('code of the error, such as -32602'),
  message: z.string().optional().describe('text of the error'),
  data: z.json().optional().describe('details of the error'),
});

/** One answer of a server. Without anything it is what a server of these items says by itself. */
const reply = z
  .strictObject({
    result: z.record(z.string(), z.json()).optional().describe('this result'),
    error: error.optional().describe('this error of JSON-RPC'),
    before: z.array(said).optional().describe('what the server says in the stream of the answer before it'),
    stream: z
      .boolean()
      .optional()
      .describe('the answer is a stream of events, or is not, whatever the server does else'),
    status: z.int().min(200).max(599).optional().describe('status of the answer; 200 when absent'),
    headers: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .optional()
      .describe('further headers of the answer, name to value'),
    body: bytesSchema.optional().describe('this body instead, JSON-RPC or not'),
    gate: name.optional().describe('the answer follows its head when this gate opens'),
    giveUp: giveUpSchema,
    fault: httpFaultSchema
      .optional()
      .describe('how the answer breaks: reset, hang, half-close, bad-chunk, garbage, or cut after so many bytes'),
    fail: name.optional().describe('no such message may arrive; the reason is reported as a failed check'),
  })
  .refine((it) => [it.result, it.error, it.body].filter((each) => each !== undefined).length <= 1, {
    error: 'only one of result, error and body',
  });
export type McpReply = z.infer<typeof reply>;

const match = z.strictObject({
  method: name.optional().describe('method of the message, such as tools/call; listen and delete are those of HTTP'),
  name: name.optional().describe('name of the tool or prompt, or URI of the resource'),
});
export type Match = z.infer<typeof match>;

/** The script of an `mcp` peer: a server with its items, and what it remembers of its sessions. */
export const mcpScriptSchema = z.strictObject({
  kind: z.literal('mcp').describe('a server of MCP'),
  transport: z
    .enum(['streamable', 'sse'])
    .optional()
    .describe('streamable HTTP, or the HTTP with SSE of before 2025-03-26; streamable when absent'),
  path: z
    .string()
    .regex(/^(\/[^/?#]+)+$/, 'a path such as /mcp')
    .optional()
    .describe('where it listens; /mcp when absent, /sse for transport sse'),
  revision: z
    .string()
    .optional()
    .describe(
      'the only revision of the protocol it speaks, 2026-07-28 for no sessions; that with sessions that clients ask for when absent',
    ),
  perRequest: z.literal(true).optional().describe('it speaks 2026-07-28, without sessions, as well'),
  cache: z
    .strictObject({
      ttlMs: z.int().min(0).optional().describe('how long, in milliseconds; 0 when absent'),
      cacheScope: z.enum(['public', 'private']).optional().describe('for whom; private when absent'),
    })
    .optional()
    .describe('how long clients of 2026-07-28 may keep what it lists'),
  tools: z.array(tool).optional().describe('its tools; one named echo when absent'),
  prompts: z.array(prompt).optional().describe('its prompts; none when absent'),
  resources: z.array(resource).optional().describe('its resources; none when absent'),
  templates: z.array(template).optional().describe('its templates of resources; none when absent'),
  pageSize: z.int().min(1).optional().describe('items of a page of its lists; all at once when absent'),
  instructions: z.string().optional().describe('what it tells clients about itself'),
  sessions: z.literal(false).optional().describe('it gives its clients no session'),
  stream: z.literal(true).optional().describe('answers are streams of events'),
  crlf: z.literal(true).optional().describe('lines of events end in CR LF, not in LF'),
  resumable: z
    .literal(true)
    .optional()
    .describe('its events have ids, and a client that listens behind one (Last-Event-ID) gets the rest of its stream'),
  listen: z
    .array(said)
    .optional()
    .describe('what clients hear who listen (GET); without it nobody can listen and the status is 405'),
  ...lanesShape(match, reply),
  ...servedShape,
});
export type McpScript = z.infer<typeof mcpScriptSchema>;
