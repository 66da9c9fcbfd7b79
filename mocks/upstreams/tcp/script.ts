import { z } from 'zod';
import { bytesSchema, durationSchema, pieceSchema } from '../../script.ts';

const after = z.strictObject({
  after: z
    .union([z.int().min(1), z.string().min(1)])
    .describe('wait until this many bytes, or this text, arrived since the previous wait'),
  giveUp: durationSchema.optional(),
});

/** The script of a `tcp` peer; every connection plays `sends` from the start. */
export const tcpScriptSchema = z.strictObject({
  kind: z.literal('tcp'),
  sends: z
    .array(
      z.union([after, z.strictObject({ end: z.literal(true) }), pieceSchema], {
        error: 'text, {text}, {~fill}, {base64}, {after: n or text}, {gate, giveUp}, {end: true} or {reset: true}',
      }),
    )
    .optional()
    .describe('bytes, {after: n or text}, {gate}, {end: true} or {reset: true}, one after the other'),
  greeting: bytesSchema.optional().describe('sent on accept, before everything else'),
  echo: z.literal(true).optional().describe('send back what arrives'),
  fault: z.enum(['refuse', 'reset', 'hang', 'half-close']).optional(),
  unix: z.boolean().optional(),
});
export type TcpScript = z.infer<typeof tcpScriptSchema>;
export type TcpSend = NonNullable<TcpScript['sends']>[number];
