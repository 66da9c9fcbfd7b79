import { z } from 'zod';
import { tlsSchema } from '../tls/script.ts';

const keys = z.strictObject({
  accessKey: z.string().min(1).describe('access key of the signature'),
  secretKey: z.string().min(1).describe('secret key of the signature'),
  sessionToken: z.string().min(1).optional().describe('session token that has to come with it; none when absent'),
});

/** The script of a `cloud-a` peer: a service that takes signed requests only, with the places beside it where keys are lent. */
export const cloudAScriptSchema = z.strictObject({
  kind: z
    .literal('cloud-a')
    .describe('a service of cloud A, and its token service, instance metadata and container credentials'),
  signed: z
    .union([keys, z.literal('lent')])
    .optional()
    .describe('whose signature is wanted: these keys, or any that were lent; lent when absent'),
  region: z.string().min(1).optional().describe('the signature is for this region; us-east-1 when absent'),
  service: z.string().min(1).optional().describe('and for this service; execute-api when absent'),
  behind: z
    .string()
    .min(1)
    .optional()
    .describe('authority the service is known by: the peer is then a proxy server that leads there, with TLS'),
  tls: tlsSchema.optional().describe('speak TLS, with a certificate of the suite CA'),
});
export type CloudAScript = z.infer<typeof cloudAScriptSchema>;
