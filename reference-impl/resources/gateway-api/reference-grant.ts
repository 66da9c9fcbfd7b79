import { z } from 'zod';
import { envelope } from '../envelope.ts';
import { described } from '../notes.ts';
import { group, kindName, namespaceName, objectName } from '../scalars.ts';
import { GATEWAY_API_V1BETA1 } from './gateway-api.ts';

/** Lets references from other namespaces name objects of its own namespace. */
export const referenceGrant = described(
  z.strictObject({
    ...envelope(GATEWAY_API_V1BETA1, 'ReferenceGrant'),
    spec: described(
      z.strictObject({
        from: z
          .array(
            described(
              z.strictObject({ group, kind: kindName, namespace: namespaceName }),
              {
                group: 'API group of the referring objects.',
                kind: 'Kind of the referring objects.',
                namespace: 'Namespace of the referring objects.',
              },
              'Kind and namespace of referring objects.',
            ),
          )
          .min(1)
          .max(16),
        to: z
          .array(
            described(
              z.strictObject({ group, kind: kindName, name: objectName.exactOptional() }),
              {
                group: 'Group; empty is core.',
                kind: 'Kind.',
                name: 'Name of the object; every object of the kind when absent.',
              },
              'Kind, and perhaps name, of objects here.',
            ),
          )
          .min(1)
          .max(16),
      }),
      { from: 'Who may refer, 1 to 16.', to: 'What may be referred to, 1 to 16.' },
    ),
  }),
  { spec: 'Who may refer to what.' },
  'Lets references from other namespaces name objects of its own.',
);

export type ReferenceGrant = z.infer<typeof referenceGrant>;
