import { z } from 'zod';
import { envelope } from '../envelope.ts';
import { group, kindName, namespaceName, objectName } from '../scalars.ts';
import { GATEWAY_API_V1BETA1 } from './gateway-api.ts';

/** Lets references from other namespaces name objects of its own namespace. */
export const referenceGrant = z.strictObject({
  ...envelope(GATEWAY_API_V1BETA1, 'ReferenceGrant'),
  spec: z.strictObject({
    from: z
      .array(z.strictObject({ group, kind: kindName, namespace: namespaceName }))
      .min(1)
      .max(16),
    to: z
      .array(z.strictObject({ group, kind: kindName, name: objectName.exactOptional() }))
      .min(1)
      .max(16),
  }),
});

export type ReferenceGrant = z.infer<typeof referenceGrant>;
