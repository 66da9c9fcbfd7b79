import { z } from 'zod';
import { orPlaceholder } from './authoring.ts';

/** What a client does on an open WebSocket. */
export const webSocketAct = z.union(
  [
    z.strictObject({ send: z.record(z.string(), z.unknown()).describe('an event, as one text message of JSON') }),
    z.strictObject({ text: z.string().describe('a text message as it is') }),
    z.strictObject({ base64: z.string().describe('a binary message, its bytes in base64') }),
    z.strictObject({
      await: z
        .string()
        .min(1)
        .describe('waits until a message has come that is an event of this type, or has this text in it'),
    }),
    z.strictObject({ open: z.string().min(1).describe('opens this gate of a peer') }),
    z.strictObject({ ping: z.string().describe('a ping with this text; the answer is seen under pongs') }),
    z.strictObject({
      close: orPlaceholder(z.int().min(1000).max(4999)).describe('closes with this code and waits for the other side'),
      reason: z.string().optional().describe('the text that goes with the code'),
    }),
    z.strictObject({ reset: z.literal(true).describe('drops the connection without a word') }),
  ],
  { error: 'expected {send}, {text}, {base64}, {await}, {open}, {ping}, {close, reason} or {reset}' },
);
export type WebSocketAct = z.infer<typeof webSocketAct>;
