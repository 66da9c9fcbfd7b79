import { z } from 'zod';
import { exactlyOne } from '../../groups.ts';
import { described, noted } from '../../notes.ts';
import { localSecretObjectRef } from '../../references.ts';
import { stringMap } from '../../scalars.ts';
import { authorizationExtractionLocation, BEARER } from './location.ts';

const byLabels = described(z.strictObject({ matchLabels: stringMap }), {
  matchLabels: 'Labels the objects must have.',
});

/**
 * Keys clients show: entries of one Secret, of Secrets or of ConfigMaps by label; each entry is one key (ADMIT-112,
 * APIKEY-001, APIKEY-017).
 */
export const apiKeyAuthentication = exactlyOne(
  described(
    z.strictObject({
      mode: noted(z.enum(['Strict', 'Optional', 'Permissive']), {
        default: 'Strict',
        clause: 'ADMIT-169',
      }).exactOptional(),
      secretRef: localSecretObjectRef.exactOptional(),
      secretSelector: byLabels.exactOptional(),
      configMapSelector: byLabels.exactOptional(),
      location: noted(authorizationExtractionLocation, { default: BEARER }).exactOptional(),
    }),
    {
      mode: 'What happens without a key, or with a wrong one.',
      secretRef: 'A Secret; each entry is a key.',
      secretSelector: 'Secrets by label; each entry is a key.',
      configMapSelector: 'ConfigMaps by label; each entry holds the hash of a key.',
      location: 'Where the key stands.',
    },
    'Keys clients show; exactly one source.',
  ),
  'ADMIT-112',
  'secretRef',
  'secretSelector',
  'configMapSelector',
);

export type APIKeyAuthentication = z.infer<typeof apiKeyAuthentication>;
