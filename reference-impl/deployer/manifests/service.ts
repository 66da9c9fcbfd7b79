import { RESERVED_PORTS } from '../defaults.ts';
import type { Manifest } from '../manifest.ts';
import { objectMeta, type Owner, selectorLabels } from './object-meta.ts';

/** One port per distinct listener port, and the address the Gateway asks for, if any. */
export function service(owner: Owner): Manifest {
  const { gateway } = owner;
  const [address] = gateway.spec.addresses ?? [];
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: objectMeta(owner),
    spec: {
      type: 'LoadBalancer',
      ...(address?.value !== undefined && { loadBalancerIP: address.value }),
      ports: listenerPorts(owner).map((port) => ({
        name: `listener-${port}`,
        protocol: 'TCP',
        port,
        targetPort: port,
      })),
      selector: selectorLabels(gateway),
    },
  };
}

/** Why the Gateway cannot have a Service; empty when it can. */
export function serviceProblems(owner: Owner): readonly string[] {
  const { addresses = [] } = owner.gateway.spec;
  const [first] = addresses;
  return [
    ...(owner.listeners.length > 0 && listenerPorts(owner).length === 0
      ? ['no listener has a port that can be served']
      : []),
    ...(addresses.length > 1 ? ['multiple addresses given, only one address is supported'] : []),
    ...(addresses.length === 1 && !isAddress(first)
      ? ['the address of a Gateway is of type IPAddress and has a value']
      : []),
  ];
}

/** What is left out, with the reason. */
export function serviceNotes({ listeners }: Owner): readonly string[] {
  if (listeners.length === 0) return ['there is no listener yet, so there is no Service: one has to have a port'];
  return listeners
    .filter(({ port }) => RESERVED_PORTS.has(port))
    .map(({ name, port }) => `listener ${name}: port is reserved: ${port}`);
}

function listenerPorts({ listeners }: Owner): readonly number[] {
  const ports = listeners.map(({ port }) => port).filter((port) => !RESERVED_PORTS.has(port));
  return [...new Set(ports)];
}

function isAddress(address: { readonly type?: string; readonly value?: string } | undefined): boolean {
  return (address?.type ?? 'IPAddress') === 'IPAddress' && address?.value !== undefined && address.value !== '';
}
