import { z } from 'zod';
import { envelope } from '../envelope.ts';
import { described } from '../notes.ts';
import { group, kindName, namespaceName, objectName } from '../scalars.ts';
import { GATEWAY_API_V1 } from './gateway-api.ts';

export const gatewayClass = described(
  z.strictObject({
    ...envelope(GATEWAY_API_V1, 'GatewayClass'),
    spec: described(
      z.strictObject({
        controllerName: z.string().min(1).max(253),
        description: z.string().max(64).exactOptional(),
        parametersRef: described(
          z.strictObject({ group, kind: kindName, name: objectName, namespace: namespaceName.exactOptional() }),
          {
            group: 'Group; empty is core.',
            kind: 'Kind.',
            name: 'Name.',
            namespace: 'Namespace of the object.',
          },
        ).exactOptional(),
      }),
      {
        controllerName: 'Name of the controller, 1 to 253 characters.',
        description: 'What the class is for, up to 64 characters.',
        parametersRef: 'Parameters for every Gateway of the class.',
      },
    ),
    status: z.looseObject({}).exactOptional(),
  }),
  { spec: 'Controller and parameters.', status: 'What the controller observed; written by it alone.' },
  'Which controller serves Gateways of this class, and with which parameters.',
);

export type GatewayClass = z.infer<typeof gatewayClass>;
