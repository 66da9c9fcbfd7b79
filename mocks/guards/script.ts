import { z } from 'zod';
import { httpFaultSchema } from '../http-exchange.ts';
import { lanesShape } from '../lanes.ts';
import { bytesSchema, giveUpSchema } from '../script.ts';
import { tlsSchema } from '../tls/script.ts';

/** What judges: a webhook of one's own, or a service that a vendor runs. */
export const SERVICES = ['webhook', 'moderation', 'guardrails', 'model-guard'] as const;
export type ServiceName = (typeof SERVICES)[number];

const rejection = z.strictObject({
  message: z.string().optional().describe('what a webhook wants the client to be told'),
  status: z.int().optional().describe('and with which status; 403 when absent'),
});

const ANSWERS = ['pass', 'mask', 'reject', 'json', 'body'] as const;

/** One verdict. Without anything it lets pass. */
export const guardReplySchema = z
  .strictObject({
    pass: z.literal(true).optional().describe('lets pass, which is what a reply without anything does too'),
    mask: z
      .record(z.string(), z.string())
      .optional()
      .describe('each text as it came, with these parts replaced by those'),
    reject: z
      .union([z.literal(true), rejection])
      .optional()
      .describe('refuses: true, or { message, status } where a webhook can say them'),
    json: z.json().optional().describe('this document instead of a verdict'),
    body: bytesSchema.optional().describe('these bytes instead'),
    status: z.int().min(200).max(599).optional().describe('status of the answer of the service; 200 when absent'),
    headers: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .optional()
      .describe('further headers of the answer, name to value'),
    gate: z.string().min(1).optional().describe('the verdict follows its head when this gate opens'),
    giveUp: giveUpSchema,
    fault: httpFaultSchema
      .optional()
      .describe(
        'how the answer breaks: reset, hang (no answer), half-close, bad-chunk, garbage, or cut after so many bytes',
      ),
    fail: z.string().min(1).optional().describe('nothing may be asked; the reason is reported as a failed check'),
  })
  .refine((reply) => ANSWERS.filter((key) => reply[key] !== undefined).length <= 1, {
    error: `only one of ${ANSWERS.join(', ')}`,
  });
export type GuardReply = z.infer<typeof guardReplySchema>;

const match = z.strictObject({
  phase: z.enum(['request', 'response']).optional().describe('whether it is asked about a prompt or about a reply'),
  text: z.string().optional().describe('stands somewhere in what is asked about'),
});
export type Match = z.infer<typeof match>;

/** The script of a `guard` peer. `on` lanes are tried in order, then `replies` or `reply`; the last one repeats. */
export const guardScriptSchema = z.strictObject({
  kind: z.literal('guard').describe('who judges prompts and replies of models'),
  service: z.enum(SERVICES).default('webhook').describe('a webhook when absent'),
  path: z.string().regex(/^\//, 'a path that begins with /').optional().describe('of a webhook, for both phases'),
  key: z.string().min(1).optional().describe('the only bearer token that is good; none is asked for when absent'),
  signed: z
    .strictObject({
      accessKey: z.string().describe('access key of the signature'),
      secretKey: z.string().describe('secret key of the signature'),
      region: z.string().describe('region of the signature, such as eu-west-1'),
    })
    .optional()
    .describe('guardrails: only requests with this signature are good'),
  behind: z
    .string()
    .regex(/^[^:/]+:\d+$/, 'host:port')
    .optional()
    .describe('the port is that of a proxy server: the service is what it reaches under this authority, over TLS'),
  ...lanesShape(match, guardReplySchema),
  fault: z
    .union([z.literal('refuse'), httpFaultSchema], { error: 'refuse, or a fault of a reply' })
    .optional()
    .describe('for every connection; a reply has its own'),
  tls: tlsSchema.optional().describe('speak TLS, with a certificate of the suite CA'),
});
export type GuardScript = z.infer<typeof guardScriptSchema>;
