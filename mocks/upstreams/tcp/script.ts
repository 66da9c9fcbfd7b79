import { z } from 'zod';
import { bytesSchema, durationSchema, pieceSchema } from '../../script.ts';

const after = z.strictObject({
  after: z
    .union([z.int().min(1), z.string().min(1)])
    .describe('wait until this many bytes, or this text, arrived since the previous wait'),
  giveUp: durationSchema.optional().describe('how long it waits for them at most, and then goes on; 16s when absent'),
});

/** The script of a `tcp` peer; every connection plays `sends` from the start. */
export const tcpScriptSchema = z.strictObject({
  kind: z.literal('tcp').describe('bytes over TCP, without any protocol'),
  sends: z
    .array(
      z.union([after, z.strictObject({ end: z.literal(true).describe('ends the sending direction') }), pieceSchema], {
        error: 'text, {text}, {~fill}, {base64}, {after: n or text}, {gate, giveUp}, {end: true} or {reset: true}',
      }),
    )
    .optional()
    .describe('bytes, {after: n or text}, {gate}, {end: true} or {reset: true}, one after the other'),
  greeting: bytesSchema.optional().describe('sent on accept, before everything else'),
  echo: z.literal(true).optional().describe('send back what arrives'),
  fault: z
    .enum(['refuse', 'blackhole', 'reset', 'hang', 'half-close'])
    .optional()
    .describe(
      'for every connection: refused, never made (dialling hears nothing), reset on accept, never answered, or ended without a byte',
    ),
  unix: z.boolean().optional().describe('listen on a Unix domain socket instead of a port'),
});
export type TcpScript = z.infer<typeof tcpScriptSchema>;
export type TcpSend = NonNullable<TcpScript['sends']>[number];
