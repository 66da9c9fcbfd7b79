import { z } from 'zod';
import { envelope } from '../envelope.ts';
import { described } from '../notes.ts';
import { portNumber, stringMap } from '../scalars.ts';

const servicePort = described(
  z.looseObject({
    name: z.string().exactOptional(),
    protocol: z.string().exactOptional(),
    appProtocol: z.string().exactOptional(),
    port: portNumber,
    /** A number, or the name of a port of the endpoints. Default: `port`. */
    targetPort: z.union([portNumber, z.string().min(1)]).exactOptional(),
  }),
  {
    name: 'Name of the port.',
    protocol: 'Transport protocol.',
    appProtocol: 'Protocol spoken on it, such as kubernetes.io/h2c.',
    port: 'Port number clients name.',
    targetPort: 'Port of the endpoints: a number, or a name they give it; the same number when absent.',
  },
  'One port of the Service.',
);

/** Only the members the proxy reads are checked; addresses come from EndpointSlices, never from clusterIP. */
export const service = described(
  z.strictObject({
    ...envelope('v1', 'Service'),
    spec: described(
      z.looseObject({
        ports: z.array(servicePort).exactOptional(),
        selector: stringMap.exactOptional(),
      }),
      { ports: 'The ports.', selector: 'Labels of the pods behind it.' },
    ),
    status: z.looseObject({}).exactOptional(),
  }),
  { spec: 'Ports and selector.', status: 'Kept, not read.' },
  'A group of endpoints under one name.',
);

export type Service = z.infer<typeof service>;
export type ServicePort = z.infer<typeof servicePort>;
