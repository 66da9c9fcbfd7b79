import { isDeepStrictEqual } from 'node:util';
import type { ApiClient } from '../real-api-server/api-client.ts';
import type { Cluster, ClusterObject } from './cluster.ts';
import { must } from './kubelet.ts';

interface ServicePort {
  readonly name?: string;
  readonly protocol: string;
  readonly appProtocol?: string;
  readonly port: number;
  readonly targetPort: number | string;
}

const MANAGER = 'endpointslice.kubernetes.io/managed-by';
const US = 'gateway-api-conformance';

/** Every Service with a selector has one EndpointSlice with the ready Pods it finds. */
export async function reconcileSlices(client: ApiClient, cluster: Cluster): Promise<void> {
  const wanted = cluster.ofKind('Service').flatMap((service) => {
    const slice = sliceOf(service, cluster);
    return slice === undefined ? [] : [slice];
  });
  const kept = new Set(wanted.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
  for (const slice of wanted) await put(slice, client, cluster);
  for (const { metadata } of cluster.ofKind('EndpointSlice')) {
    const { namespace = '', name, labels = {} } = metadata;
    if (labels[MANAGER] === US && !kept.has(`${namespace}/${name}`))
      await client.send('DELETE', `${collection(namespace)}/${name}`);
  }
}

interface Slice {
  readonly metadata: { readonly namespace: string; readonly name: string };
  readonly ports: unknown;
  readonly endpoints: unknown;
}

function sliceOf({ metadata, spec }: ClusterObject, cluster: Cluster): Slice | undefined {
  const { namespace = '', name } = metadata;
  const { selector, ports = [] } = spec as {
    readonly selector?: Readonly<Record<string, string>>;
    readonly ports?: readonly ServicePort[];
  };
  if (selector === undefined) return undefined;
  const addresses = cluster
    .ofKind('Pod')
    .filter(
      (pod) => pod.metadata.namespace === namespace && isSelected(pod, selector) && !pod.metadata.deletionTimestamp,
    )
    .flatMap(({ status }) => (typeof status?.['podIP'] === 'string' ? [status['podIP']] : []))
    .toSorted();
  return {
    metadata: { namespace, name: `${name}-pods` },
    ports: ports.map((port) => ({
      name: port.name ?? '',
      protocol: port.protocol,
      port: port.targetPort,
      ...(port.appProtocol !== undefined && { appProtocol: port.appProtocol }),
    })),
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  };
}

function isSelected(pod: ClusterObject, selector: Readonly<Record<string, string>>): boolean {
  return Object.entries(selector).every(([label, value]) => pod.metadata.labels?.[label] === value);
}

async function put({ metadata, ports, endpoints }: Slice, client: ApiClient, cluster: Cluster): Promise<void> {
  const { namespace, name } = metadata;
  const present = cluster.get('EndpointSlice', namespace, name);
  if (isDeepStrictEqual(present?.['ports'], ports) && isDeepStrictEqual(present?.['endpoints'], endpoints)) return;
  if (present !== undefined) {
    await must(client, 'PATCH', `${collection(namespace)}/${name}`, { ports, endpoints });
    return;
  }
  const labels = { 'kubernetes.io/service-name': name.replace(/-pods$/, ''), [MANAGER]: US };
  const { status } = await client.send('POST', collection(namespace), {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...metadata, labels },
    addressType: 'IPv4',
    ports,
    endpoints,
  });
  // 409: it was made a moment ago, and the watch has not told yet.
  if (status !== 201 && status !== 409) throw new Error(`the EndpointSlice ${namespace}/${name} cannot be made`);
}

function collection(namespace: string): string {
  return `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;
}
