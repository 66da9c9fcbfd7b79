import { z } from 'zod';
import { envelope } from '../envelope.ts';
import { group, kindName, namespaceName, objectName } from '../scalars.ts';
import { GATEWAY_API_V1 } from './gateway-api.ts';
import { listener } from './listener.ts';

/** More listeners for a Gateway, from another object. */
export const listenerSet = z.strictObject({
  ...envelope(GATEWAY_API_V1, 'ListenerSet'),
  spec: z.strictObject({
    parentRef: z.strictObject({
      group: group.exactOptional(),
      kind: kindName.exactOptional(),
      name: objectName,
      namespace: namespaceName.exactOptional(),
    }),
    listeners: z.array(listener).min(1).max(64),
  }),
  status: z.looseObject({}).exactOptional(),
});

export type ListenerSet = z.infer<typeof listenerSet>;
