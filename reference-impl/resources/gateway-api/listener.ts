import { z } from 'zod';
import { labelSelector } from '../metadata.ts';
import { described } from '../notes.ts';
import { objectReference } from '../references.ts';
import { group, hostname, kindName, portNumber, sectionName, stringMap } from '../scalars.ts';
import { frontendValidation } from './frontend-validation.ts';

const certificateRef = objectReference('Secret', 'A Secret with a certificate.');

const listenerTls = described(
  z.strictObject({
    mode: z.enum(['Terminate', 'Passthrough']).exactOptional(),
    certificateRefs: z.array(certificateRef).max(64).exactOptional(),
    frontendValidation: frontendValidation.exactOptional(),
    options: stringMap.exactOptional(),
  }),
  {
    mode: 'Whether TLS ends here or passes. Default: Terminate.',
    certificateRefs: 'Certificates to show, up to 64.',
    frontendValidation: 'Whose certificates clients have to show.',
    options: 'Kept, not read.',
  },
);

const allowedRoutes = described(
  z.strictObject({
    namespaces: described(
      z.strictObject({
        from: z.enum(['All', 'Selector', 'Same', 'None']).exactOptional(),
        selector: labelSelector.exactOptional(),
      }),
      {
        from: 'All, those a selector finds, the same namespace, or none. Default: Same.',
        selector: 'Labels of the namespaces, for from Selector.',
      },
    ).exactOptional(),
    kinds: z
      .array(
        described(
          z.strictObject({ group: group.exactOptional(), kind: kindName }),
          { group: 'API group of the kind.', kind: 'Name of the kind.' },
          'One kind of route.',
        ),
      )
      .max(8)
      .exactOptional(),
  }),
  { namespaces: 'Namespaces whose routes may attach.', kinds: 'Kinds of routes that may attach, up to 8.' },
);

/** One listener of a Gateway or a ListenerSet. */
export const listener = described(
  z.strictObject({
    name: sectionName,
    hostname: hostname.exactOptional(),
    port: portNumber,
    protocol: z.string().min(1).max(255),
    tls: listenerTls.exactOptional(),
    allowedRoutes: allowedRoutes.exactOptional(),
  }),
  {
    name: 'Name of the listener, for routes and policies.',
    hostname: 'Host it is for; every host when absent.',
    port: 'Port number.',
    protocol: 'Protocol, such as HTTP or HTTPS.',
    tls: 'TLS settings.',
    allowedRoutes: 'Which routes may attach.',
  },
  'A port and host the data plane takes requests at.',
);

export type Listener = z.infer<typeof listener>;
export type AllowedRoutes = z.infer<typeof allowedRoutes>;
