import { z } from 'zod';
import { envelope } from '../envelope.ts';
import { portNumber } from '../scalars.ts';

const endpoint = z.looseObject({
  addresses: z.array(z.string().min(1)).min(1).max(100),
  conditions: z
    .looseObject({
      ready: z.boolean().exactOptional(),
      serving: z.boolean().exactOptional(),
      terminating: z.boolean().exactOptional(),
    })
    .exactOptional(),
});

const endpointPort = z.looseObject({
  name: z.string().exactOptional(),
  protocol: z.string().exactOptional(),
  port: portNumber.exactOptional(),
  appProtocol: z.string().exactOptional(),
});

/** The label that names the Service a slice belongs to. */
export const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';

export const endpointSlice = z.strictObject({
  ...envelope('discovery.k8s.io/v1', 'EndpointSlice'),
  addressType: z.enum(['IPv4', 'IPv6', 'FQDN']),
  endpoints: z.array(endpoint).max(1000).exactOptional(),
  ports: z.array(endpointPort).max(20_000).exactOptional(),
});

export type EndpointSlice = z.infer<typeof endpointSlice>;
export type EndpointSliceEndpoint = z.infer<typeof endpoint>;
export type EndpointSlicePort = z.infer<typeof endpointPort>;
