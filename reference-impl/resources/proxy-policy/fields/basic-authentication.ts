import { z } from 'zod';
import { exactlyOne } from '../../groups.ts';
import { localSecretKeyRef } from '../../references.ts';
import { listOf } from '../../scalars.ts';
import { authorizationExtractionLocation } from './location.ts';

export const basicAuthentication = exactlyOne(
  z.strictObject({
    mode: z.enum(['Strict', 'Optional']).exactOptional(),
    realm: z.string().exactOptional(),
    /** htpasswd-style lines. */
    users: listOf(z.string(), 1, 256).exactOptional(),
    secretRef: localSecretKeyRef.exactOptional(),
    location: authorizationExtractionLocation.exactOptional(),
  }),
  'ADMIT-113',
  'users',
  'secretRef',
);

export type BasicAuthentication = z.infer<typeof basicAuthentication>;
