import { z } from 'zod';
import { envelope } from '../envelope.ts';
import { labelSelector } from '../metadata.ts';
import { described } from '../notes.ts';
import { group, kindName, objectName, portNumber, stringMap } from '../scalars.ts';
import { frontendValidation } from './frontend-validation.ts';
import { GATEWAY_API_V1 } from './gateway-api.ts';
import { listener } from './listener.ts';

const infrastructure = described(
  z.strictObject({
    labels: stringMap.exactOptional(),
    annotations: stringMap.exactOptional(),
    parametersRef: described(z.strictObject({ group, kind: kindName, name: objectName }), {
      group: 'Group; empty is core.',
      kind: 'Kind.',
      name: 'Name.',
    }).exactOptional(),
  }),
  {
    labels: 'Labels for what is generated.',
    annotations: 'Annotations for what is generated.',
    parametersRef: 'Parameters of this Gateway, in its namespace.',
  },
);

/** Which namespaces may add listeners with a ListenerSet. Default: none. */
const allowedListeners = described(
  z.strictObject({
    namespaces: described(
      z.strictObject({
        from: z.enum(['All', 'Selector', 'Same', 'None']).exactOptional(),
        selector: labelSelector.exactOptional(),
      }),
      {
        from: 'All, those a selector finds, the same namespace, or none. Default: None.',
        selector: 'Labels of the namespaces, for from Selector.',
      },
    ).exactOptional(),
  }),
  { namespaces: 'Namespaces whose ListenerSets may add listeners.' },
);

const clientTls = described(
  z.strictObject({ validation: frontendValidation.exactOptional() }),
  { validation: 'Whose certificates clients have to show.' },
  'TLS of clients.',
);

/** Validation of client certificates, for all HTTPS listeners or those of a port. */
const gatewayTls = described(
  z.strictObject({
    backend: z.looseObject({}).exactOptional(),
    frontend: described(
      z.strictObject({
        default: clientTls.exactOptional(),
        perPort: z
          .array(
            described(
              z.strictObject({ port: portNumber, tls: clientTls }),
              { port: 'Port of the listeners.', tls: 'What holds for them instead.' },
              'One port.',
            ),
          )
          .max(64)
          .exactOptional(),
      }),
      { default: 'For listeners of ports that are not named.', perPort: 'By port, up to 64.' },
    ).exactOptional(),
  }),
  { backend: 'Kept, not read.', frontend: 'TLS of clients.' },
);

export const gateway = described(
  z.strictObject({
    ...envelope(GATEWAY_API_V1, 'Gateway'),
    spec: described(
      z.strictObject({
        gatewayClassName: objectName,
        listeners: z.array(listener).max(64),
        addresses: z
          .array(
            described(
              z.strictObject({ type: z.string().exactOptional(), value: z.string().exactOptional() }),
              { type: 'What the value is, such as IPAddress or Hostname.', value: 'The address.' },
              'One address.',
            ),
          )
          .max(16)
          .exactOptional(),
        infrastructure: infrastructure.exactOptional(),
        allowedListeners: allowedListeners.exactOptional(),
        backendTLS: z.looseObject({}).exactOptional(),
        tls: gatewayTls.exactOptional(),
        defaultScope: z.string().exactOptional(),
      }),
      {
        gatewayClassName: 'Class of the Gateway.',
        listeners: 'Listeners, up to 64.',
        addresses: 'Addresses asked for, up to 16.',
        infrastructure: 'Labels, annotations and parameters of what is generated.',
        allowedListeners: 'Who may add listeners with a ListenerSet.',
        backendTLS: 'Kept, not read.',
        tls: 'TLS of clients and of backends, for all listeners.',
        defaultScope: 'Kept, not read.',
      },
    ),
    status: z.looseObject({}).exactOptional(),
  }),
  { spec: 'Listeners, class and infrastructure.', status: 'What the controller observed; written by it alone.' },
  'Listeners, and the data plane that serves them.',
);

export type Gateway = z.infer<typeof gateway>;
export type AllowedListeners = z.infer<typeof allowedListeners>;
