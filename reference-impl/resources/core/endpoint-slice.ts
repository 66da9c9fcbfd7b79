import { z } from 'zod';
import { envelope } from '../envelope.ts';
import { described } from '../notes.ts';
import { portNumber } from '../scalars.ts';

const endpoint = described(
  z.looseObject({
    addresses: z.array(z.string().min(1)).min(1).max(100),
    conditions: described(
      z.looseObject({
        ready: z.boolean().exactOptional(),
        serving: z.boolean().exactOptional(),
        terminating: z.boolean().exactOptional(),
      }),
      {
        ready: 'Whether it takes requests; true when absent.',
        serving: 'Whether it answers, even while it ends.',
        terminating: 'Whether it is about to end.',
      },
    ).exactOptional(),
  }),
  {
    addresses: 'Addresses that are the same endpoint, 1 to 100; the first is used.',
    conditions: 'Whether it takes traffic.',
  },
  'One endpoint.',
);

const endpointPort = described(
  z.looseObject({
    name: z.string().exactOptional(),
    protocol: z.string().exactOptional(),
    port: portNumber.exactOptional(),
    appProtocol: z.string().exactOptional(),
  }),
  {
    name: 'Name of the port, as the Service has it.',
    protocol: 'Transport protocol.',
    port: 'Port number.',
    appProtocol: 'Protocol spoken on it, such as kubernetes.io/h2c.',
  },
  'One port of every endpoint.',
);

/** The label that names the Service a slice belongs to. */
export const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';

export const endpointSlice = described(
  z.strictObject({
    ...envelope('discovery.k8s.io/v1', 'EndpointSlice'),
    addressType: z.enum(['IPv4', 'IPv6', 'FQDN']),
    endpoints: z.array(endpoint).max(1000).exactOptional(),
    ports: z.array(endpointPort).max(20_000).exactOptional(),
  }),
  { addressType: 'What the addresses are.', endpoints: 'The endpoints, up to 1000.', ports: 'The ports, up to 20000.' },
  'Addresses behind a Service.',
);

export type EndpointSlice = z.infer<typeof endpointSlice>;
export type EndpointSliceEndpoint = z.infer<typeof endpoint>;
export type EndpointSlicePort = z.infer<typeof endpointPort>;
