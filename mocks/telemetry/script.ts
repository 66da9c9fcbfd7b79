import { z } from 'zod';
import { connectionShape, failureShape } from '../grpc/failure-script.ts';
import { lanesShape } from '../lanes.ts';
import { giveUpSchema } from '../script.ts';

/** What collectors are sent, by the last word of the usual path. */
export const SIGNALS = ['logs', 'traces'] as const;
export type Signal = (typeof SIGNALS)[number];

/** The answer to one export. Over HTTP a status of gRPC is answered as the status of HTTP that says the same. */
const replySchema = z.strictObject({
  rejected: z.int().min(0).optional().describe('so many of the records were not taken; the export is no failure'),
  gate: z.string().min(1).optional().describe('answers when this gate opens'),
  giveUp: giveUpSchema,
  ...failureShape,
});
export type Reply = z.infer<typeof replySchema>;

const match = z.strictObject({
  signal: z.enum(SIGNALS).optional().describe('logs or traces'),
  protocol: z.enum(['grpc', 'http']).optional().describe('how the export came'),
});
export type Match = z.infer<typeof match>;

const path = z.string().startsWith('/');

/** The script of an `otlp` peer. A lane counts exports, however many records they have. */
export const telemetryScriptSchema = z.strictObject({
  kind: z.literal('otlp').describe('a collector of logs and spans, over gRPC and over HTTP on one port'),
  paths: z
    .strictObject({
      logs: path.optional().describe('where logs are sent over HTTP; /v1/logs when absent'),
      traces: path.optional().describe('where spans are sent over HTTP; /v1/traces when absent'),
    })
    .optional()
    .describe('other paths than the usual ones; whoever asks for another is answered 404'),
  ...lanesShape(match, replySchema),
  ...connectionShape,
});
export type TelemetryScript = z.infer<typeof telemetryScriptSchema>;
