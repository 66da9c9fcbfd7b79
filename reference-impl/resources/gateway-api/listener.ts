import { z } from 'zod';
import { labelSelector } from '../metadata.ts';
import {
  group,
  hostname,
  kindName,
  namespaceName,
  objectName,
  portNumber,
  sectionName,
  stringMap,
} from '../scalars.ts';

const certificateRef = z.strictObject({
  group: group.exactOptional(),
  kind: kindName.exactOptional(),
  name: objectName,
  namespace: namespaceName.exactOptional(),
});

const listenerTls = z.strictObject({
  mode: z.enum(['Terminate', 'Passthrough']).exactOptional(),
  certificateRefs: z.array(certificateRef).max(64).exactOptional(),
  frontendValidation: z.looseObject({}).exactOptional(),
  options: stringMap.exactOptional(),
});

const allowedRoutes = z.strictObject({
  namespaces: z
    .strictObject({
      from: z.enum(['All', 'Selector', 'Same', 'None']).exactOptional(),
      selector: labelSelector.exactOptional(),
    })
    .exactOptional(),
  kinds: z
    .array(z.strictObject({ group: group.exactOptional(), kind: kindName }))
    .max(8)
    .exactOptional(),
});

/** One listener of a Gateway or a ListenerSet. */
export const listener = z.strictObject({
  name: sectionName,
  hostname: hostname.exactOptional(),
  port: portNumber,
  protocol: z.string().min(1).max(255),
  tls: listenerTls.exactOptional(),
  allowedRoutes: allowedRoutes.exactOptional(),
});

export type Listener = z.infer<typeof listener>;
export type AllowedRoutes = z.infer<typeof allowedRoutes>;
