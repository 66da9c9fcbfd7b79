import { z } from 'zod';
import { tlsSchema } from '../../tls/script.ts';

const json = z.record(z.string(), z.json());

/** What the provider does when a message comes, in this order. */
const action = z.union(
  [
    z.strictObject({ send: json.describe('an event, as one text message') }),
    z.strictObject({ text: z.string().describe('a text message as it is') }),
    z.strictObject({ pieces: z.array(z.string()).min(2).describe('one text message in several frames') }),
    z.strictObject({ base64: z.string().describe('a binary message') }),
    z.strictObject({ ping: z.string() }),
    z.strictObject({ gate: z.string().min(1) }),
    z.strictObject({ close: z.int().min(1000).max(4999), reason: z.string().optional() }),
    z.strictObject({ reset: z.literal(true) }),
  ],
  { error: '{send}, {text}, {pieces}, {base64}, {ping}, {gate}, {close, reason} or {reset}' },
);
export type Action = z.infer<typeof action>;

/** The script of a `realtime` peer: a provider of language models that is spoken to over a WebSocket. */
export const realtimeScriptSchema = z.strictObject({
  kind: z.literal('realtime'),
  path: z.string().regex(/^\//).optional().describe('/v1/realtime when absent'),
  key: z
    .union([z.string().min(1), z.literal(false)])
    .optional()
    .describe('the only credential that is good; false: none is asked for'),
  refuse: z.int().min(400).max(599).optional().describe('answers the handshake with this status'),
  greet: z.array(action).optional().describe('as soon as the connection is there'),
  on: z
    .array(z.strictObject({ type: z.string().describe('type of an event of the client'), do: z.array(action).min(1) }))
    .optional(),
  tls: tlsSchema.optional(),
});
export type RealtimeScript = z.infer<typeof realtimeScriptSchema>;
