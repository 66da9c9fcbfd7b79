import { z } from 'zod';
import { bytesSchema, durationSchema } from '../script.ts';
import { tlsSchema } from '../tls/script.ts';

/** What judges: a webhook of one's own, or a service that a vendor runs. */
export const SERVICES = ['webhook', 'moderation', 'guardrails', 'model-guard'] as const;
export type ServiceName = (typeof SERVICES)[number];

const fault = z.union(
  [
    z.enum(['reset', 'hang', 'half-close', 'bad-chunk', 'garbage']),
    z.strictObject({ 'reset-after': z.int().min(0) }),
    z.strictObject({ 'end-after': z.int().min(0) }),
  ],
  { error: 'reset, hang, half-close, bad-chunk, garbage, {reset-after: n} or {end-after: n}' },
);

const rejection = z.strictObject({
  message: z.string().optional().describe('what a webhook wants the client to be told'),
  status: z.int().optional().describe('and with which status; 403 when absent'),
});

const ANSWERS = ['pass', 'mask', 'reject', 'json', 'body'] as const;

/** One verdict. Without anything it lets pass. */
export const guardReplySchema = z
  .strictObject({
    pass: z.literal(true).optional(),
    mask: z
      .record(z.string(), z.string())
      .optional()
      .describe('each text as it came, with these parts replaced by those'),
    reject: z.union([z.literal(true), rejection]).optional(),
    json: z.json().optional().describe('this document instead of a verdict'),
    body: bytesSchema.optional().describe('these bytes instead'),
    status: z.int().min(200).max(599).optional(),
    headers: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
    gate: z.string().min(1).optional().describe('the verdict follows its head when this gate opens'),
    giveUp: durationSchema.optional(),
    fault: fault.optional(),
    fail: z.string().min(1).optional().describe('nothing may be asked; the reason is reported as a failed check'),
  })
  .refine((reply) => ANSWERS.filter((key) => reply[key] !== undefined).length <= 1, {
    error: `only one of ${ANSWERS.join(', ')}`,
  });
export type GuardReply = z.infer<typeof guardReplySchema>;

const lane = { reply: guardReplySchema.optional(), replies: z.array(guardReplySchema).min(1).optional() };

const match = z.strictObject({
  phase: z.enum(['request', 'response']).optional(),
  text: z.string().optional().describe('stands somewhere in what is asked about'),
});

/** The script of a `guard` peer. `on` lanes are tried in order, then `replies` or `reply`; the last one repeats. */
export const guardScriptSchema = z.strictObject({
  kind: z.literal('guard'),
  service: z.enum(SERVICES).default('webhook').describe('a webhook when absent'),
  path: z.string().regex(/^\//, 'a path that begins with /').optional().describe('of a webhook, for both phases'),
  key: z.string().min(1).optional().describe('the only bearer token that is good; any when absent'),
  signed: z
    .strictObject({ accessKey: z.string(), secretKey: z.string(), region: z.string() })
    .optional()
    .describe('guardrails: only requests with this signature are good'),
  behind: z
    .string()
    .regex(/^[^:/]+:\d+$/, 'host:port')
    .optional()
    .describe('the port is that of a proxy server: the service is what it reaches under this authority, over TLS'),
  ...lane,
  on: z.array(z.strictObject({ match, ...lane })).optional(),
  fault: z.union([z.literal('refuse'), fault], { error: 'refuse, or a fault of a reply' }).optional(),
  tls: tlsSchema.optional().describe('speak TLS, with a certificate of the suite CA'),
});
export type GuardScript = z.infer<typeof guardScriptSchema>;
