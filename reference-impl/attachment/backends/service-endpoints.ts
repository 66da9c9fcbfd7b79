import { type EndpointSlice, SERVICE_NAME_LABEL } from '../../resources/core/endpoint-slice.ts';
import type { ServicePort } from '../../resources/core/service.ts';
import { namespaceOf } from '../../resources/envelope.ts';
import type { Endpoint } from './resolved-backend.ts';

/** Addresses that may receive traffic; the slice's port of the same name is where they listen. */
export function serviceEndpoints(slices: readonly EndpointSlice[], port: ServicePort): readonly Endpoint[] {
  return slices.flatMap((slice) => endpointsOf(slice, port));
}

/** `namespace/name` of the Service a slice belongs to. */
export function serviceOfSlice(slice: EndpointSlice): string {
  return `${namespaceOf(slice)}/${slice.metadata.labels?.[SERVICE_NAME_LABEL] ?? ''}`;
}

function endpointsOf(slice: EndpointSlice, servicePort: ServicePort): readonly Endpoint[] {
  const { targetPort } = servicePort;
  const declared = slice.ports?.find(({ name = '' }) => name === (servicePort.name ?? ''))?.port;
  const port = declared ?? (typeof targetPort === 'string' ? undefined : (targetPort ?? servicePort.port));
  if (port === undefined) return [];
  return (slice.endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false)
    .flatMap(({ addresses }) => addresses.map((host): Endpoint => ({ kind: 'tcp', host, port })));
}
