import { z } from 'zod';
import { tlsSchema } from '../../tls/script.ts';

const json = z.record(z.string(), z.json());

/** What the provider does when a message comes, in this order. */
const action = z.union(
  [
    z.strictObject({ send: json.describe('an event, as one text message; what its type needs besides is added') }),
    z.strictObject({ text: z.string().describe('a text message as it is') }),
    z.strictObject({ pieces: z.array(z.string()).min(2).describe('one text message in several frames') }),
    z.strictObject({ base64: z.string().describe('a binary message') }),
    z.strictObject({ ping: z.string().describe('a ping with this text') }),
    z.strictObject({ gate: z.string().min(1).describe('waits until this gate opens') }),
    z.strictObject({
      close: z.int().min(1000).max(4999).describe('closes with this code'),
      reason: z.string().optional().describe('the text that goes with the code'),
    }),
    z.strictObject({ reset: z.literal(true).describe('drops the connection without a word') }),
  ],
  { error: '{send}, {text}, {pieces}, {base64}, {ping}, {gate}, {close, reason} or {reset}' },
);
export type Action = z.infer<typeof action>;

/** The script of a `realtime` peer: a provider of language models that is spoken to over a WebSocket. */
export const realtimeScriptSchema = z.strictObject({
  kind: z.literal('realtime').describe('a provider of language models that is spoken to over a WebSocket'),
  path: z.string().regex(/^\//).optional().describe('/v1/realtime when absent'),
  key: z.string().min(1).optional().describe('the only credential that is good; none is asked for when absent'),
  refuse: z.int().min(400).max(599).optional().describe('answers the handshake with this status'),
  greet: z.array(action).optional().describe('as soon as the connection is there'),
  on: z
    .array(
      z.strictObject({
        type: z.string().describe('type of an event of the client'),
        do: z.array(action).min(1).describe('what is done then, one after another'),
      }),
    )
    .optional()
    .describe('what is done when the client sends an event of a type'),
  tls: tlsSchema.optional().describe('speak TLS, with a certificate of the suite CA'),
});
export type RealtimeScript = z.infer<typeof realtimeScriptSchema>;
