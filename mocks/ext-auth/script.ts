import { z } from 'zod';
import { connectionShape, failureShape } from '../grpc/failure-script.ts';
import { lanesShape } from '../lanes.ts';
import { giveUpSchema } from '../script.ts';

/** What a server does with a field that is there already: the four actions of the protocol, in its order. */
export const APPEND_ACTIONS = ['append-or-add', 'add-if-absent', 'overwrite-or-add', 'overwrite-if-exists'] as const;

const edit = z.strictObject({
  value: z.string().describe('value of the field'),
  append: z.boolean().optional().describe('the older flag; unset and action append-or-add together overwrite'),
  action: z
    .enum(APPEND_ACTIONS)
    .optional()
    .describe('what becomes of a field that is there already; append-or-add when absent'),
  raw: z.boolean().optional().describe('the value travels as bytes'),
});
export type HeaderEdit = z.infer<typeof edit>;

const value = z.union([z.string(), edit]);
const headers = z.record(z.string(), z.union([value, z.array(value)]), {
  error: 'headers: {name: value, {value, append, action, raw} or a list of these}',
});
export type Headers = z.infer<typeof headers>;

const allow = z.strictObject({
  headers: headers.optional().describe('for the request on its way to the backend'),
  remove: z.array(z.string()).optional().describe('fields taken out of the request on its way to the backend'),
  responseHeaders: headers.optional().describe('for the answer to the client'),
  setQuery: z.record(z.string(), z.string()).optional().describe('query parameters set on the request, name to value'),
  removeQuery: z.array(z.string()).optional().describe('query parameters taken out of the request'),
});

const deny = z.strictObject({
  status: z.int().optional().describe('of the answer to the client; unset leaves it to the proxy'),
  headers: headers.optional().describe('of the answer to the client'),
  body: z.string().optional().describe('of the answer to the client'),
});

/** One decision. Without any of deny, error, fault and fail the request may pass. */
export const replySchema = z
  .strictObject({
    allow: allow.optional().describe('the request may pass, with these changes'),
    deny: deny.optional().describe('the request is refused, with this answer to the client'),
    code: z.int().optional().describe('status of the decision; 0 for allow and 7 for deny when it is not given'),
    bare: z.literal(true).optional().describe('the decision is its status alone, without a denied or ok part'),
    metadata: z.record(z.string(), z.json()).optional().describe('dynamic metadata, for policies that come later'),
    gate: z.string().min(1).optional().describe('decides when this gate opens'),
    giveUp: giveUpSchema,
    ...failureShape,
  })
  .refine((reply) => reply.allow === undefined || reply.deny === undefined, { error: 'only one of allow, deny' });
export type Reply = z.infer<typeof replySchema>;

const match = z.strictObject({
  method: z.string().optional().describe('method of the checked request'),
  path: z.string().optional().describe('the checked path without its query, or with it when this has a question mark'),
  headers: z.record(z.string(), z.string()).optional().describe('headers the checked request has, name to value'),
});
export type Match = z.infer<typeof match>;

/** The script of an `extauth` peer. `on` lanes are tried in order, then `replies` or `reply`; the last reply repeats. */
export const extAuthScriptSchema = z.strictObject({
  kind: z.literal('extauth').describe('an authorization server over gRPC; over HTTP a peer of kind http is one'),
  ...lanesShape(match, replySchema),
  ...connectionShape,
});
export type ExtAuthScript = z.infer<typeof extAuthScriptSchema>;
