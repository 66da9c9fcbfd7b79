import { z } from 'zod';
import { exactlyOne } from '../../groups.ts';
import { localSecretObjectRef } from '../../references.ts';
import { stringMap } from '../../scalars.ts';
import { authorizationExtractionLocation } from './location.ts';

const byLabels = z.strictObject({ matchLabels: stringMap });

export const apiKeyAuthentication = exactlyOne(
  z.strictObject({
    mode: z.enum(['Strict', 'Optional', 'Permissive']).exactOptional(),
    secretRef: localSecretObjectRef.exactOptional(),
    secretSelector: byLabels.exactOptional(),
    configMapSelector: byLabels.exactOptional(),
    location: authorizationExtractionLocation.exactOptional(),
  }),
  'ADMIT-112',
  'secretRef',
  'secretSelector',
  'configMapSelector',
);

export type APIKeyAuthentication = z.infer<typeof apiKeyAuthentication>;
