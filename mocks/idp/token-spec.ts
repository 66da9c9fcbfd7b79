import { z } from 'zod';

/**
 * What is wanted of a token that the mock signs. Without any member it is one that every check passes: issuer and first
 * key of the mock, subject `user`, issued now, good for an hour.
 */
export const tokenSpecSchema = z.strictObject({
  claims: z
    .record(z.string(), z.json())
    .optional()
    .describe('over the usual claims; null takes one out, texts such as now-2m and now+1h become times'),
  header: z.record(z.string(), z.json()).optional().describe('over the usual header; null takes a member out'),
  alg: z.string().min(1).optional().describe('none and HS256 too; the one of the key when absent'),
  kid: z.string().optional().describe('what the header says; the signing key stays the same'),
  key: z
    .string()
    .optional()
    .describe(
      'kid of the key that signs, rogue for one nobody knows, public for an HMAC with the public key as secret',
    ),
  tamper: z
    .enum(['payload', 'signature', 'no-signature'])
    .optional()
    .describe('what is spoilt after signing: a claim is changed, a bit is turned, the signature is cut off'),
});
export type TokenSpec = z.infer<typeof tokenSpecSchema>;
