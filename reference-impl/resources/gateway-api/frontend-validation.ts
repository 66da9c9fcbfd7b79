import { z } from 'zod';
import { described } from '../notes.ts';
import { objectReference } from '../references.ts';

/** Whose certificates clients have to show. */
export const frontendValidation = described(
  z.strictObject({
    caCertificateRefs: z
      .array(objectReference('ConfigMap', 'A ConfigMap with authorities under ca.crt.'))
      .min(1)
      .max(8)
      .exactOptional(),
    mode: z.enum(['AllowValidOnly', 'AllowInsecureFallback']).exactOptional(),
  }),
  {
    caCertificateRefs: 'Authorities of client certificates, up to 8.',
    mode: 'Whether clients without a valid certificate are refused. Default: AllowValidOnly.',
  },
  'Validation of client certificates.',
);

export type FrontendValidation = z.infer<typeof frontendValidation>;
