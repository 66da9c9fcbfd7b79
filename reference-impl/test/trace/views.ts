import { admit } from '../../admission/admit.ts';
import { buildView, type View } from '../../attachment/view.ts';
import { keyOf, type Resource } from '../../resources/kinds.ts';
import { snapshotOf, type Snapshot } from '../../store/snapshot.ts';

/** The snapshot of resources written as plain data; throws what admission says about a bad one. */
export function snapshotWith(...values: readonly unknown[]): Snapshot {
  const resources = values.map((value): Resource => {
    const admission = admit(value);
    if (!admission.ok) throw new Error(JSON.stringify(admission.violations));
    return admission.resource;
  });
  return snapshotOf(1, new Map(resources.map((resource) => [keyOf(resource), resource])));
}

export function viewWith(...values: readonly unknown[]): View {
  return buildView(snapshotWith(...values));
}

/** A Gateway with one HTTP listener per host, all on one port. */
export function gateway(namespace: string, name: string, port: number, ...hosts: readonly string[]): unknown {
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: { namespace, name },
    spec: {
      gatewayClassName: 'proxy',
      listeners: hosts.map((hostname, index) => ({ name: `l${index}`, port, protocol: 'HTTP', hostname })),
    },
  };
}
