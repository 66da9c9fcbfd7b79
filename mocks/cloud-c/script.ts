import { z } from 'zod';
import { tlsSchema } from '../tls/script.ts';

/** The script of a `cloud-c` peer: the token server of accounts, and the metadata server of a platform. */
export const cloudCScriptSchema = z.strictObject({
  kind: z
    .literal('cloud-c')
    .describe('who gives tokens of cloud C: to accounts with a key, to users, to what runs on its platform'),
  account: z
    .string()
    .min(1)
    .optional()
    .describe('name of the account whose credentials the case writes; caller when absent'),
  tls: tlsSchema.optional().describe('speak TLS, with a certificate of the suite CA'),
});
export type CloudCScript = z.infer<typeof cloudCScriptSchema>;
