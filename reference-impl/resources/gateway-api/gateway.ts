import { z } from 'zod';
import { envelope } from '../envelope.ts';
import { labelSelector } from '../metadata.ts';
import { group, kindName, objectName, stringMap } from '../scalars.ts';
import { GATEWAY_API_V1 } from './gateway-api.ts';
import { listener } from './listener.ts';

const infrastructure = z.strictObject({
  labels: stringMap.exactOptional(),
  annotations: stringMap.exactOptional(),
  parametersRef: z.strictObject({ group, kind: kindName, name: objectName }).exactOptional(),
});

/** Which namespaces may add listeners with a ListenerSet. Default: none. */
const allowedListeners = z.strictObject({
  namespaces: z
    .strictObject({
      from: z.enum(['All', 'Selector', 'Same', 'None']).exactOptional(),
      selector: labelSelector.exactOptional(),
    })
    .exactOptional(),
});

export const gateway = z.strictObject({
  ...envelope(GATEWAY_API_V1, 'Gateway'),
  spec: z.strictObject({
    gatewayClassName: objectName,
    listeners: z.array(listener).max(64),
    addresses: z
      .array(z.strictObject({ type: z.string().exactOptional(), value: z.string().exactOptional() }))
      .max(16)
      .exactOptional(),
    infrastructure: infrastructure.exactOptional(),
    allowedListeners: allowedListeners.exactOptional(),
    backendTLS: z.looseObject({}).exactOptional(),
    tls: z.looseObject({}).exactOptional(),
    defaultScope: z.string().exactOptional(),
  }),
  status: z.looseObject({}).exactOptional(),
});

export type Gateway = z.infer<typeof gateway>;
export type AllowedListeners = z.infer<typeof allowedListeners>;
