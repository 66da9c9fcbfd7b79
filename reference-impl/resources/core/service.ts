import { z } from 'zod';
import { envelope } from '../envelope.ts';
import { portNumber, stringMap } from '../scalars.ts';

const servicePort = z.looseObject({
  name: z.string().exactOptional(),
  protocol: z.string().exactOptional(),
  appProtocol: z.string().exactOptional(),
  port: portNumber,
  /** A number, or the name of a port of the endpoints. Default: `port`. */
  targetPort: z.union([portNumber, z.string().min(1)]).exactOptional(),
});

/** Only the members the proxy reads are checked; addresses come from EndpointSlices, never from clusterIP. */
export const service = z.strictObject({
  ...envelope('v1', 'Service'),
  spec: z.looseObject({
    ports: z.array(servicePort).exactOptional(),
    selector: stringMap.exactOptional(),
  }),
  status: z.looseObject({}).exactOptional(),
});

export type Service = z.infer<typeof service>;
export type ServicePort = z.infer<typeof servicePort>;
