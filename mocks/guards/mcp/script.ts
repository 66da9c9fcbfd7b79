import { z } from 'zod';
import { connectionShape, failureShape } from '../../grpc/failure-script.ts';
import { lanesShape } from '../../lanes.ts';
import { giveUpSchema } from '../../script.ts';

/** Names of the codes a guard can reject with, in the order of their numbers. */
export const REJECTIONS = ['UNKNOWN', 'PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'INVALID'] as const;

const reject = z.strictObject({
  code: z.enum(REJECTIONS).optional().describe('PERMISSION_DENIED when absent'),
  reason: z.string().optional().describe('for whoever is rejected; rejected when absent'),
  data: z.json().optional().describe('data of the error the client gets'),
});

/** One verdict. Without any of mutated, raw, reject, mute, error, fault and fail the message passes as it is. */
export const mcpGuardReplySchema = z
  .strictObject({
    mutated: z.record(z.string(), z.json()).optional().describe('the message passes with these params, or this result'),
    raw: z.string().optional().describe('the same as text that need not be JSON'),
    reject: reject.optional().describe('the message is rejected'),
    mute: z.literal(true).optional().describe('an answer that has no verdict in it'),
    setHeaders: z
      .record(z.string(), z.string())
      .optional()
      .describe('of a request: fields for the server, name to value'),
    removeHeaders: z.array(z.string()).optional().describe('of a request: fields the server does not get'),
    metadata: z.record(z.string(), z.json()).optional().describe('of a request: what later expressions may name'),
    gate: z.string().min(1).optional().describe('answers when this gate opens'),
    giveUp: giveUpSchema,
    ...failureShape,
  })
  .refine(({ mutated, raw, reject: rejected, mute }) => [mutated, raw, rejected, mute].filter(Boolean).length <= 1, {
    error: 'only one of mutated, raw, reject, mute',
  });
export type Reply = z.infer<typeof mcpGuardReplySchema>;

const match = z.strictObject({
  check: z.enum(['request', 'response']).optional().describe('which of the two the guard is asked about'),
  method: z.string().optional().describe('method of the message'),
});
export type Match = z.infer<typeof match>;

/** The script of an `mcp-guard` peer. `on` lanes are tried in order, then `replies` or `reply`; the last reply repeats. */
export const mcpGuardScriptSchema = z.strictObject({
  kind: z.literal('mcp-guard').describe('a policy server for MCP messages, over gRPC'),
  ...lanesShape(match, mcpGuardReplySchema),
  ...connectionShape,
});
export type McpGuardScript = z.infer<typeof mcpGuardScriptSchema>;
