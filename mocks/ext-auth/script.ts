import { z } from 'zod';
import { connectionShape, failureShape } from '../grpc/failures.ts';
import { lanesShape } from '../lanes.ts';
import { durationSchema } from '../script.ts';

/** What a server does with a field that is there already: the four actions of the protocol, in its order. */
export const APPEND_ACTIONS = ['append-or-add', 'add-if-absent', 'overwrite-or-add', 'overwrite-if-exists'] as const;

const edit = z.strictObject({
  value: z.string(),
  append: z.boolean().optional().describe('the older flag; unset and action append-or-add together overwrite'),
  action: z.enum(APPEND_ACTIONS).optional(),
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
  remove: z.array(z.string()).optional(),
  responseHeaders: headers.optional().describe('for the answer to the client'),
  setQuery: z.record(z.string(), z.string()).optional(),
  removeQuery: z.array(z.string()).optional(),
});

const deny = z.strictObject({
  status: z.int().optional().describe('of the answer to the client; unset leaves it to the proxy'),
  headers: headers.optional(),
  body: z.string().optional(),
});

/** One decision. Without any of deny, error, fault and fail the request may pass. */
export const replySchema = z
  .strictObject({
    allow: allow.optional(),
    deny: deny.optional(),
    code: z.int().optional().describe('status of the decision; 0 for allow and 7 for deny when it is not given'),
    bare: z.literal(true).optional().describe('the decision is its status alone, without a denied or ok part'),
    metadata: z.record(z.string(), z.json()).optional(),
    gate: z.string().min(1).optional().describe('decides when this gate opens'),
    giveUp: durationSchema.optional(),
    ...failureShape,
  })
  .refine((reply) => reply.allow === undefined || reply.deny === undefined, { error: 'only one of allow, deny' });
export type Reply = z.infer<typeof replySchema>;

const match = z.strictObject({
  method: z.string().optional(),
  path: z.string().optional().describe('the checked path without its query, or with it when this has a question mark'),
  headers: z.record(z.string(), z.string()).optional(),
});
export type Match = z.infer<typeof match>;

/** The script of an `extauth` peer. `on` lanes are tried in order, then `replies` or `reply`; the last reply repeats. */
export const extAuthScriptSchema = z.strictObject({
  kind: z.literal('extauth'),
  ...lanesShape(match, replySchema),
  ...connectionShape,
});
export type ExtAuthScript = z.infer<typeof extAuthScriptSchema>;
