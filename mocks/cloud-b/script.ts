import { z } from 'zod';
import { tlsSchema } from '../tls/script.ts';

/** The script of a `cloud-b` peer: the directory of tenants, and managed identities. */
export const cloudBScriptSchema = z.strictObject({
  kind: z
    .literal('cloud-b')
    .describe('the directory of cloud B, which gives tokens to clients, and its managed identities'),
  tls: tlsSchema.optional().describe('speak TLS, with a certificate of the suite CA'),
});
export type CloudBScript = z.infer<typeof cloudBScriptSchema>;
