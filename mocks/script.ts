import { z } from 'zod';

/** Durations in scripts: `250ms`, `2s`, `1m`. */
export const durationSchema = z.string().regex(/^\d+(\.\d+)?(ms|s|m)$/, 'a duration such as 250ms, 2s or 1m');

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

/** Milliseconds of a duration the schema accepted. */
export function durationMs(text: string): number {
  return Number.parseFloat(text) * (UNIT_MS[text.replace(/^[\d.]+/, '')] ?? 1);
}

const MAX_FILL = 64 * 1024 * 1024;

const fill = z.strictObject({ '~fill': z.int().min(0).max(MAX_FILL).describe('a text of this many bytes') });
const base64 = z.strictObject({ base64: z.base64().describe('bytes in base64, for what is no text') });

/** Bytes in a script: text, `{~fill: n}` for n bytes of text, or `{base64: …}`. */
export const bytesSchema = z.union([z.string(), fill, base64], { error: 'text, {~fill: n} or {base64: …}' });
export type Bytes = z.infer<typeof bytesSchema>;

/** The bytes themselves. */
export function toBytes(source: Bytes): Buffer {
  if (typeof source === 'string') return Buffer.from(source);
  return '~fill' in source ? Buffer.alloc(source['~fill'], 'x') : Buffer.from(source.base64, 'base64');
}

/** How long a wait at a gate lasts when the gate stays closed; without it the gates have a patience of their own. */
export const giveUpSchema = durationSchema
  .optional()
  .describe(
    'how long it waits for the gate at most, such as 500ms, and then goes on; gates show gave-up. 2s when absent',
  );

/** A wait at a gate, as a member of a list. */
export const gateShape = {
  gate: z.string().min(1).describe('waits until this gate opens: by `on` of a step, or by the step await'),
  giveUp: giveUpSchema,
};

/** A piece of what a peer sends: bytes, a wait at a gate, or a connection reset. */
export const pieceSchema = z.union(
  [
    z.string(),
    z.strictObject({ text: z.string().describe('a text, sent as one piece') }),
    fill,
    base64,
    z.strictObject(gateShape),
    z.strictObject({ reset: z.literal(true).describe('resets the connection') }),
  ],
  { error: 'text, {text}, {~fill}, {base64}, {gate, giveUp} or {reset: true}' },
);

/** A written pause in milliseconds; undefined where the script leaves it to the gates. */
export function giveUpMs(written: string | undefined): number | undefined {
  return written === undefined ? undefined : durationMs(written);
}

/** A piece in one shape for the senders. */
export type Piece =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'gate'; readonly gate: string; readonly giveUpMs: number | undefined }
  | { readonly kind: 'reset' };

/** The piece a script wrote, in the senders' shape. */
export function toPiece(source: z.infer<typeof pieceSchema>): Piece {
  if (typeof source === 'string') return { kind: 'bytes', bytes: Buffer.from(source) };
  if ('gate' in source) {
    return { kind: 'gate', gate: source.gate, giveUpMs: giveUpMs(source.giveUp) };
  }
  if ('reset' in source) return { kind: 'reset' };
  return { kind: 'bytes', bytes: 'text' in source ? Buffer.from(source.text) : toBytes(source) };
}
