import { z } from 'zod';
import { orPlaceholder } from './authoring.ts';

/** What a client does on an open WebSocket. */
export const webSocketAct = z.union(
  [
    z.strictObject({ send: z.record(z.string(), z.unknown()) }),
    z.strictObject({ text: z.string() }),
    z.strictObject({ base64: z.string() }),
    /** Waits until a message has come that is an event of this type, or has this text. */
    z.strictObject({ await: z.string().min(1) }),
    z.strictObject({ open: z.string().min(1) }),
    z.strictObject({ ping: z.string() }),
    z.strictObject({ close: orPlaceholder(z.int().min(1000).max(4999)), reason: z.string().optional() }),
    z.strictObject({ reset: z.literal(true) }),
  ],
  { error: 'expected {send}, {text}, {base64}, {await}, {open}, {ping}, {close, reason} or {reset}' },
);
export type WebSocketAct = z.infer<typeof webSocketAct>;
