import { z } from 'zod';

/** TLS of a peer: `tls: true`, or how its certificate and its handshake differ from the usual. */
export const tlsSchema = z.union(
  [
    z.literal(true),
    z.strictObject({
      fault: z
        .enum(['wrong-name', 'expired', 'self-signed', 'untrusted-ca'])
        .optional()
        .describe('what is wrong with the certificate; everything else about it is right'),
      names: z
        .array(z.string().min(1))
        .min(1)
        .optional()
        .describe('names in the certificate instead of the usual ones: DNS names, addresses, URIs'),
      intermediate: z
        .literal(true)
        .optional()
        .describe('an authority below that of the suite signed the certificate, and is shown with it'),
      alpn: z.array(z.string().min(1)).min(1).optional().describe('protocols the server takes, best first'),
      groups: z.array(z.string().min(1)).min(1).optional().describe('key exchange groups the server takes'),
      clientCertificate: z
        .enum(['request', 'require'])
        .optional()
        .describe('ask for a certificate and record it, or refuse whoever has none of the suite'),
    }),
  ],
  { error: 'true, or {fault, names, intermediate, alpn, groups, clientCertificate}' },
);
export type TlsScript = z.infer<typeof tlsSchema>;
