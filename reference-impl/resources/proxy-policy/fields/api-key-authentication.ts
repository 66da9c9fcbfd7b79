import { z } from 'zod';
import { exactlyOne } from '../../groups.ts';
import { noted } from '../../notes.ts';
import { localSecretObjectRef } from '../../references.ts';
import { stringMap } from '../../scalars.ts';
import { authorizationExtractionLocation, BEARER } from './location.ts';

const byLabels = z.strictObject({ matchLabels: stringMap });

/**
 * Keys clients show: entries of one Secret, of Secrets or of ConfigMaps by label; each entry is one key (ADMIT-112,
 * APIKEY-001, APIKEY-017).
 */
export const apiKeyAuthentication = exactlyOne(
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
  'ADMIT-112',
  'secretRef',
  'secretSelector',
  'configMapSelector',
);

export type APIKeyAuthentication = z.infer<typeof apiKeyAuthentication>;
