import { z } from 'zod';

/** The script of a `connect-proxy` peer. */
export const connectProxyScriptSchema = z.strictObject({
  kind: z
    .literal('connect-proxy')
    .describe(
      'a proxy server: it answers CONNECT and carries what is said inside, and sends on a request whose target is a whole URL',
    ),
  status: z
    .int()
    .min(200)
    .max(599)
    .optional()
    .describe(
      'what CONNECT is answered with; 200 when absent. Anything but 200 is a refusal, of whole URLs too: nobody is dialled',
    ),
  headers: z.record(z.string(), z.string()).optional().describe('headers of that answer'),
  fault: z
    .enum(['refuse', 'hang', 'reset', 'garbage', 'half-close'])
    .optional()
    .describe(
      'instead of an answer: no port, silence, a reset, bytes that are no HTTP, or the end of the connection. What is asked is read first',
    ),
});
export type ConnectProxyScript = z.infer<typeof connectProxyScriptSchema>;
