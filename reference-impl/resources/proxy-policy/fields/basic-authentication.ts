import { z } from 'zod';
import { exactlyOne } from '../../groups.ts';
import { described, noted } from '../../notes.ts';
import { secretKeyRef } from '../../references.ts';
import { listOf } from '../../scalars.ts';
import { authorizationExtractionLocation, BASIC } from './location.ts';

/** Users and passwords, here or in a Secret (ADMIT-113, BASIC-001, BASIC-007, BASIC-015, BASIC-016). */
export const basicAuthentication = exactlyOne(
  described(
    z.strictObject({
      mode: noted(z.enum(['Strict', 'Optional']), { default: 'Strict', clause: 'ADMIT-114' }).exactOptional(),
      realm: noted(z.string(), { default: 'Restricted' }).exactOptional(),
      /** htpasswd-style lines. */
      users: noted(listOf(z.string(), 1, 256), { clause: 'LIMIT-037' }).exactOptional(),
      secretRef: secretKeyRef('.htaccess').exactOptional(),
      location: noted(authorizationExtractionLocation, { default: BASIC }).exactOptional(),
    }),
    {
      mode: 'What happens without credentials.',
      realm: 'Realm in the challenge.',
      users: '1 to 256 lines of an htpasswd file.',
      secretRef: 'Secret with an htpasswd file.',
      location: 'Where the credentials stand.',
    },
    'Users and passwords; exactly one source.',
  ),
  'ADMIT-113',
  'users',
  'secretRef',
);

export type BasicAuthentication = z.infer<typeof basicAuthentication>;
