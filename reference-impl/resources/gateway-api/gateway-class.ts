import { z } from 'zod';
import { envelope } from '../envelope.ts';
import { group, kindName, namespaceName, objectName } from '../scalars.ts';
import { GATEWAY_API_V1 } from './gateway-api.ts';

export const gatewayClass = z.strictObject({
  ...envelope(GATEWAY_API_V1, 'GatewayClass'),
  spec: z.strictObject({
    controllerName: z.string().min(1).max(253),
    description: z.string().max(64).exactOptional(),
    parametersRef: z
      .strictObject({ group, kind: kindName, name: objectName, namespace: namespaceName.exactOptional() })
      .exactOptional(),
  }),
  status: z.looseObject({}).exactOptional(),
});

export type GatewayClass = z.infer<typeof gatewayClass>;
