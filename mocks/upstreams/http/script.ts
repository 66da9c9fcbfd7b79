import { z } from 'zod';
import { lanesShape } from '../../lanes.ts';
import { endAfter, resetAfter } from '../../http-exchange.ts';
import type { LivePiece } from '../../http-exchange.ts';
import { bytesSchema, durationSchema, giveUpSchema, pieceSchema } from '../../script.ts';
import { tlsSchema } from '../../tls/script.ts';
import { http2Shape } from '../served-shape.ts';

const name = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'a header name');
const text = z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'text without line breaks and control characters');
const value = z.union([text, z.number(), z.boolean()]);

const headers = z.union([z.record(name, z.union([value, z.array(value)])), z.array(z.tuple([name, value]))], {
  error: 'headers: {name: value or list} or [[name, value], …]',
});

const slow = z.strictObject({
  chunk: z.int().min(1).describe('bytes per write'),
  gate: z.string().min(1).optional().describe('the rest follows the first write when this gate opens'),
  giveUp: giveUpSchema,
  every: durationSchema.optional().describe('pause between two writes'),
});

const FAULTS = 'reset, hang, half-close, bad-chunk, garbage, {reset-after: n}, {end-after: n} or {slow: {chunk, gate}}';

const replyFault = z.union(
  [
    z.enum(['reset', 'hang', 'half-close', 'bad-chunk', 'garbage']),
    resetAfter,
    endAfter,
    z.strictObject({ slow: slow.describe('the answer comes in small pieces, at a gate or with pauses between') }),
  ],
  { error: FAULTS },
);

const BODIES = ['body', 'json', 'chunks', 'echo', 'raw'] as const;

/** One answer. Without any of body, json, chunks, echo and raw the body is the peer's name. */
export const replySchema = z
  .strictObject({
    status: z.int().min(200).max(599).optional().describe('status of the answer; 200 when absent'),
    reason: text.optional().describe('the text after the status; the usual one when absent'),
    headers: headers
      .optional()
      .describe(
        '{ name: value } or a list of values, or [[name, value], …] in this order; nothing else is sent by itself',
      ),
    body: bytesSchema
      .optional()
      .describe('the body: a text, { ~fill: 1024 } bytes or { base64: aGk= }; the name of the peer when absent'),
    json: z
      .json()
      .optional()
      .describe('the body as JSON, with content-type: application/json unless headers say another'),
    chunks: z
      .array(pieceSchema)
      .optional()
      .describe('the body in pieces, with { gate } and { reset: true } between them'),
    echo: z
      .literal(true)
      .optional()
      .describe('the body is JSON that describes the request: method, path, headers, body'),
    raw: bytesSchema
      .optional()
      .describe('exactly these bytes instead of a well-formed answer; then the connection closes'),
    trailers: headers.optional().describe('trailers after a chunked body, name to value'),
    framing: z
      .enum(['length', 'chunked', 'close'])
      .optional()
      .describe('how the end of the body is told: Content-Length, chunks, or the end of the connection'),
    early: z.boolean().optional().describe('answer before the request body has arrived'),
    open: z.string().optional().describe('opens this gate when the head of the request has come, before its body has'),
    fault: replyFault
      .optional()
      .describe(
        'how the answer breaks: reset, hang (no answer), half-close, bad-chunk, garbage, or cut after so many bytes',
      ),
    fail: z.string().min(1).optional().describe('no such request may arrive; the reason is reported as a failed check'),
  })
  .refine((reply) => BODIES.filter((key) => reply[key] !== undefined).length <= 1, {
    error: `only one of ${BODIES.join(', ')}`,
  });
type WrittenReply = z.infer<typeof replySchema>;

/** A reply of a script, or of a peer that has more to say than scripts can. */
export type Reply = Omit<WrittenReply, 'chunks'> & {
  chunks?: (NonNullable<WrittenReply['chunks']>[number] | LivePiece)[] | undefined;
};

const match = z.strictObject({
  method: z.string().optional().describe('method of the request, such as POST'),
  path: z.string().optional().describe('the target without its query, or with it when this has a question mark'),
  headers: z.record(z.string(), z.string()).optional().describe('one value of the name is this; * is any'),
});
export type Match = z.infer<typeof match>;

/** The script of an `http` peer. `on` lanes are tried in order, then `replies` or `reply`; the last reply repeats. */
export const httpScriptSchema = z.strictObject({
  kind: z.literal('http').describe('an HTTP server'),
  ...lanesShape(match, replySchema),
  fault: z
    .union([z.literal('refuse'), replyFault], { error: `refuse, ${FAULTS}` })
    .optional()
    .describe('for every connection; a reply has its own'),
  tls: tlsSchema.optional().describe('speak TLS, with a certificate of the suite CA'),
  unix: z.boolean().optional().describe('listen on a Unix domain socket instead of a port'),
  ...http2Shape,
  showKeepalive: z
    .literal(true)
    .optional()
    .describe(
      'the ledger shows keepalive: seconds until the kernel of the client probes the connection, null if it will not',
    ),
});
export type HttpScript = z.infer<typeof httpScriptSchema>;
export type ReplyFault = z.infer<typeof replyFault>;
