import { z } from 'zod';
import { lanesShape } from '../../lanes.ts';
import { bytesSchema, durationSchema, pieceSchema } from '../../script.ts';
import { tlsSchema } from '../../tls/script.ts';

const name = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'a header name');
const text = z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'text without line breaks and control characters');
const value = z.union([text, z.number(), z.boolean()]);

const headers = z.union([z.record(name, z.union([value, z.array(value)])), z.array(z.tuple([name, value]))], {
  error: 'headers: {name: value or list} or [[name, value], …]',
});

const slow = z.strictObject({
  chunk: z.int().min(1).describe('bytes per write'),
  gate: z.string().min(1).optional().describe('the rest follows the first write when this gate opens'),
  giveUp: durationSchema.optional(),
  every: durationSchema.optional().describe('pause between two writes'),
});

const FAULTS = 'reset, hang, half-close, bad-chunk, garbage, {reset-after: n}, {end-after: n} or {slow: {chunk, gate}}';

const replyFault = z.union(
  [
    z.enum(['reset', 'hang', 'half-close', 'bad-chunk', 'garbage']),
    z.strictObject({ 'reset-after': z.int().min(0) }),
    z.strictObject({ 'end-after': z.int().min(0) }),
    z.strictObject({ slow }),
  ],
  { error: FAULTS },
);

const BODIES = ['body', 'json', 'chunks', 'echo', 'raw'] as const;

/** One answer. Without any of body, json, chunks, echo and raw the body is the peer's name. */
export const replySchema = z
  .strictObject({
    status: z.int().min(200).max(599).optional(),
    reason: text.optional(),
    headers: headers.optional(),
    body: bytesSchema.optional(),
    json: z.json().optional(),
    chunks: z.array(pieceSchema).optional(),
    echo: z.literal(true).optional().describe('answer JSON that describes the request'),
    raw: bytesSchema
      .optional()
      .describe('exactly these bytes instead of a well-formed answer; then the connection closes'),
    trailers: headers.optional(),
    framing: z.enum(['length', 'chunked', 'close']).optional(),
    early: z.boolean().optional().describe('answer before the request body has arrived'),
    fault: replyFault.optional(),
    fail: z.string().min(1).optional().describe('no such request may arrive; the reason is reported as a failed check'),
  })
  .refine((reply) => BODIES.filter((key) => reply[key] !== undefined).length <= 1, {
    error: `only one of ${BODIES.join(', ')}`,
  });
export type Reply = z.infer<typeof replySchema>;

const match = z.strictObject({
  method: z.string().optional(),
  path: z.string().optional().describe('the target without its query, or with it when this has a question mark'),
  headers: z.record(z.string(), z.string()).optional().describe('one value of the name is this; * is any'),
});
export type Match = z.infer<typeof match>;

/** The script of an `http` peer. `on` lanes are tried in order, then `replies` or `reply`; the last reply repeats. */
export const httpScriptSchema = z.strictObject({
  kind: z.literal('http'),
  ...lanesShape(match, replySchema),
  fault: z
    .union([z.literal('refuse'), replyFault], { error: `refuse, ${FAULTS}` })
    .optional()
    .describe('for every connection; a reply has its own'),
  tls: tlsSchema.optional().describe('speak TLS, with a certificate of the suite CA'),
  unix: z.boolean().optional().describe('listen on a Unix domain socket instead of a port'),
});
export type HttpScript = z.infer<typeof httpScriptSchema>;
export type ReplyFault = z.infer<typeof replyFault>;
