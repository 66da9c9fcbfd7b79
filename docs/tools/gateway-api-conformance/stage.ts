import type { ApiClient } from '../real-api-server/api-client.ts';
import { type Cluster, followCluster } from './cluster.ts';
import { type DataPlane, startDataPlane } from './data-planes.ts';
import { reconcileSlices } from './endpoint-slices.ts';
import { startKubelet } from './kubelet.ts';
import type { PodNetwork } from './pod-network.ts';
import { applyWorkload, type Workload } from './workloads.ts';
import { askAll, idOf, statusesToWrite, type StatusToWrite } from './statuses.ts';

/** What a cluster has beside its API server: Pods, the endpoints of Services, and data planes of Gateways. */
export interface Stage {
  readonly stop: () => void;
}

interface Means {
  readonly client: ApiClient;
  readonly network: PodNetwork;
  /** Of the classes that are ours. */
  readonly controllerName: string;
  /** The program of the echo server. */
  readonly echo: string;
  readonly folder: string;
}

const GATEWAY_API = '/apis/gateway.networking.k8s.io';
const OURS = '/apis/proxy.example/v1alpha1';
const FOLLOWED = [
  ...['namespaces', 'services', 'secrets', 'configmaps', 'pods'].map((plural) => `/api/v1/${plural}`),
  '/apis/apps/v1/deployments',
  '/apis/discovery.k8s.io/v1/endpointslices',
  ...['gatewayclasses', 'gateways', 'listenersets', 'httproutes'].map((plural) => `${GATEWAY_API}/v1/${plural}`),
  `${GATEWAY_API}/v1beta1/referencegrants`,
  ...['proxybackends', 'proxymodels', 'proxyparameters', 'proxypolicies'].map((plural) => `${OURS}/${plural}`),
];
const PLURALS: Readonly<Record<string, string>> = {
  GatewayClass: 'gatewayclasses',
  Gateway: 'gateways',
  ListenerSet: 'listenersets',
  HTTPRoute: 'httproutes',
};
/** How long the statuses of the reference go unread at most. */
const TICK_MS = 150;

export async function startStage(means: Means): Promise<Stage> {
  const { network } = means;
  const wake = { up: (): void => undefined };
  const cluster = await followCluster(means.client, FOLLOWED, () => wake.up());
  const kubelet = await startKubelet({ ...means, cluster });
  const planes = new Map<string, DataPlane>([['', startDataPlane(undefined, network.gatewayAddress(), means.folder)]]);
  const workloads = new Map<string, Promise<Workload>>();
  const stopping = { now: false };
  const tell = (error: unknown): void => {
    if (!stopping.now) console.error(String(error));
  };
  const pods = loop(stopping, tell, async () => {
    await kubelet.reconcile();
    await reconcileSlices(means.client, cluster);
  });
  const written = new Map<string, string>();
  const gateways = loop(stopping, tell, async () => {
    reconcilePlanes(planes, cluster, means);
    for (const plane of planes.values()) plane.configure(cluster);
    reconcileWorkloads(workloads, planes, means.client, tell);
    const told = await askAll(planes);
    for (const wanted of statusesToWrite(cluster, told)) await writeStatus(wanted, written, means.client);
  });
  wake.up = () => {
    pods.soon();
    gateways.soon();
  };
  return {
    stop: () => {
      stopping.now = true;
      kubelet.stop();
      for (const plane of planes.values()) plane.stop();
    },
  };
}

/** Does its work again and again, one at a time, `soon` at once; a failure is told, and does not end it. */
function loop(
  stopping: { readonly now: boolean },
  tell: (error: unknown) => void,
  work: () => Promise<void>,
): { readonly soon: () => void } {
  let wake: (() => void) | undefined;
  let again = false;
  void (async () => {
    while (!stopping.now) {
      again = false;
      await work().catch(tell);
      if (again) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, TICK_MS);
      });
      wake = undefined;
    }
  })();
  return {
    soon: () => {
      again = true;
      wake?.();
    },
  };
}

/** One for every Gateway of a class that is ours. */
function reconcilePlanes(
  planes: Map<string, DataPlane>,
  cluster: Cluster,
  { network, controllerName, folder }: Means,
): void {
  const classes = new Set(
    cluster
      .ofKind('GatewayClass')
      .filter(({ spec }) => spec?.['controllerName'] === controllerName)
      .map(({ metadata }) => metadata.name),
  );
  const gateways = cluster.ofKind('Gateway').filter(({ spec }) => classes.has(String(spec?.['gatewayClassName'])));
  const wanted = new Set(['', ...gateways.map(idOf)]);
  for (const gateway of wanted)
    if (!planes.has(gateway)) planes.set(gateway, startDataPlane(gateway, network.gatewayAddress(), folder));
  for (const [gateway, plane] of planes) {
    if (wanted.has(gateway)) continue;
    plane.stop();
    planes.delete(gateway);
  }
}

/** Rendered once for every Gateway; what it takes does not wait for it. */
function reconcileWorkloads(
  workloads: Map<string, Promise<Workload>>,
  planes: ReadonlyMap<string, DataPlane>,
  client: ApiClient,
  tell: (error: unknown) => void,
): void {
  for (const [gateway, { folder }] of planes) {
    if (gateway === '' || workloads.has(gateway)) continue;
    const workload = applyWorkload(gateway, folder, client);
    workload.catch(tell);
    workloads.set(gateway, workload);
  }
  for (const [gateway, workload] of workloads) {
    if (planes.has(gateway)) continue;
    workloads.delete(gateway);
    void workload.then(async ({ remove }) => remove()).catch(tell);
  }
}

async function writeStatus(
  { object, status }: StatusToWrite,
  written: Map<string, string>,
  client: ApiClient,
): Promise<void> {
  const { uid, namespace, name } = object.metadata;
  const text = JSON.stringify(status);
  if (written.get(uid) === text) return;
  written.set(uid, text);
  const place = `${GATEWAY_API}/v1/${namespace === undefined ? '' : `namespaces/${namespace}/`}${PLURALS[object.kind]}/${name}/status`;
  const answer = await client.send('PATCH', place, { status });
  // 404: it was deleted a moment ago.
  if (answer.status !== 200 && answer.status !== 404)
    console.error(`the status of ${object.kind} ${idOf(object)} is refused: ${String(answer.body['message'])}`);
}
