import { Buffer } from 'node:buffer';
import { type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { connect } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { issue } from '../../../mocks/tls/certificate.ts';
import type { Json } from '../verdicts.ts';
import type { ApiClient } from '../real-api-server/api-client.ts';
import type { Cluster, ClusterObject } from './cluster.ts';
import { NODE_ADDRESS, type PodNetwork } from './pod-network.ts';

const NODE = 'node';
const LOG_PORT = 10_250;
const READY_WITHIN_MS = 30_000;
const POLL_MS = 20;
/** The image of the suite whose program is run; Pods of another image are ready and do nothing. */
const ECHO_IMAGE = '/echo-basic:';

/** What runs Pods: each Deployment gets its Pods, each Pod of the suite's image its program. */
export interface Kubelet {
  /** Brings Pods into accord with Deployments. */
  readonly reconcile: () => Promise<void>;
  readonly stop: () => void;
}

interface Means {
  readonly client: ApiClient;
  readonly cluster: Cluster;
  readonly network: PodNetwork;
  /** The program of the echo server. */
  readonly echo: string;
  /** For the files of volumes. */
  readonly folder: string;
}

interface Pod {
  readonly namespace: string;
  readonly name: string;
  readonly owner: string;
  readonly spec: PodSpec;
  readonly log: LogLine[];
  isStarted: boolean;
  child: ChildProcess | undefined;
}

interface LogLine {
  readonly at: number;
  readonly text: string;
}

interface PodSpec {
  readonly containers: readonly {
    readonly name: string;
    readonly image: string;
    readonly env?: readonly {
      readonly name: string;
      readonly value?: string;
      readonly valueFrom?: { readonly fieldRef?: { readonly fieldPath: string } };
    }[];
    readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  }[];
  readonly volumes?: readonly {
    readonly name: string;
    readonly secret?: {
      readonly secretName: string;
      readonly items?: readonly { readonly key: string; readonly path: string }[];
    };
  }[];
}

/** Registers the node and serves the logs of its Pods to the API server. */
export async function startKubelet(means: Means): Promise<Kubelet> {
  const pods = new Map<string, Pod>();
  const logs = await serveLogs(pods);
  await registerNode(means.client);
  return {
    reconcile: async () => {
      const deployments = means.cluster.ofKind('Deployment').filter(({ metadata }) => !metadata.deletionTimestamp);
      const alive = new Set(deployments.map(({ metadata }) => metadata.uid));
      for (const [key, pod] of pods) {
        if (alive.has(pod.owner)) continue;
        pods.delete(key);
        await removePod(pod, means.client);
      }
      // All of them are there before the first is ready: whoever waits for Pods must see how many to wait for.
      for (const deployment of deployments) await createPods(deployment, pods, means.client);
      const waiting = [...pods.values()].filter(({ isStarted }) => !isStarted);
      await Promise.all(waiting.map(async (pod) => runPod(pod, means)));
    },
    stop: () => {
      logs.close();
      for (const { child } of pods.values()) child?.kill('SIGKILL');
    },
  };
}

async function registerNode(client: ApiClient): Promise<void> {
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: NODE } };
  await must(client, 'POST', '/api/v1/nodes', node);
  const status = {
    addresses: [{ type: 'InternalIP', address: NODE_ADDRESS }],
    daemonEndpoints: { kubeletEndpoint: { Port: LOG_PORT } },
  };
  await must(client, 'PATCH', `/api/v1/nodes/${NODE}/status`, { status });
}

async function createPods(deployment: ClusterObject, pods: Map<string, Pod>, client: ApiClient): Promise<void> {
  const { namespace = '', name, uid } = deployment.metadata;
  const { replicas = 1, template } = deployment.spec as {
    readonly replicas?: number;
    readonly template: { readonly metadata: Json; readonly spec: PodSpec };
  };
  for (let index = 0; index < replicas; index += 1) {
    // The suite takes the last two parts of the name off to learn whose Pod it is: those of a ReplicaSet and of the Pod.
    const pod: Pod = {
      namespace,
      name: `${name}-1-${index}`,
      owner: uid,
      spec: template.spec,
      log: [],
      isStarted: false,
      child: undefined,
    };
    const key = `${namespace}/${pod.name}`;
    if (pods.has(key)) continue;
    pods.set(key, pod);
    await must(client, 'POST', `/api/v1/namespaces/${namespace}/pods`, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...template.metadata, name: pod.name, namespace },
      spec: { ...template.spec, nodeName: NODE, terminationGracePeriodSeconds: 0 },
    });
  }
}

/** A Pod waits for its Secrets. */
async function runPod(pod: Pod, { client, cluster, network, echo, folder }: Means): Promise<void> {
  const { namespace, name, spec } = pod;
  const volumes = secretFiles(namespace, spec, cluster);
  if (volumes === undefined) return;
  pod.isStarted = true;
  const [container] = spec.containers;
  if (container === undefined) throw new Error(`the Pod ${namespace}/${name} has no container`);
  let address: string | undefined;
  if (container.image.includes(ECHO_IMAGE)) {
    const root = path.join(folder, namespace, name);
    writeVolumes(container.volumeMounts ?? [], volumes, root);
    const running = await network.run(echo, environment(pod, container, root));
    pod.child = running.child;
    address = running.address;
    keepLog(pod);
    await answers(address);
  }
  const now = new globalThis.Date().toISOString();
  const ready = { status: 'True', lastProbeTime: null, lastTransitionTime: now };
  await must(client, 'PATCH', `/api/v1/namespaces/${namespace}/pods/${name}/status`, {
    status: {
      phase: 'Running',
      startTime: now,
      conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({ type, ...ready })),
      ...(address !== undefined && { podIP: address, podIPs: [{ ip: address }] }),
      containerStatuses: [
        {
          name: container.name,
          image: container.image,
          imageID: container.image,
          ready: true,
          started: true,
          restartCount: 0,
          state: { running: { startedAt: now } },
        },
      ],
    },
  });
}

/** The environment of the container, in which paths of its volumes are paths of this machine. */
function environment(
  { namespace, name }: Pod,
  { env = [], volumeMounts = [] }: PodSpec['containers'][number],
  root: string,
): Readonly<Record<string, string>> {
  const fields: Readonly<Record<string, string>> = { 'metadata.name': name, 'metadata.namespace': namespace };
  const placed = (value: string): string =>
    volumeMounts.some(({ mountPath }) => value.startsWith(`${mountPath}/`)) ? path.join(root, value) : value;
  return Object.fromEntries(
    env.map(({ name: variable, value = '', valueFrom }) => [
      variable,
      valueFrom?.fieldRef === undefined ? placed(value) : (fields[valueFrom.fieldRef.fieldPath] ?? ''),
    ]),
  );
}

interface VolumeFile {
  readonly path: string;
  readonly bytes: Buffer;
}

/** The files of the Secrets a Pod mounts, by volume; undefined while one of them is not there. */
function secretFiles(
  namespace: string,
  { volumes = [] }: PodSpec,
  cluster: Cluster,
): ReadonlyMap<string, readonly VolumeFile[]> | undefined {
  const files = new Map<string, readonly VolumeFile[]>();
  for (const { name, secret } of volumes) {
    if (secret === undefined) continue;
    const found = cluster.get('Secret', namespace, secret.secretName);
    if (found === undefined) return undefined;
    const data = (found['data'] ?? {}) as Readonly<Record<string, string>>;
    const items = secret.items ?? Object.keys(data).map((key) => ({ key, path: key }));
    files.set(
      name,
      items.map((item) => ({ path: item.path, bytes: Buffer.from(data[item.key] ?? '', 'base64') })),
    );
  }
  return files;
}

function writeVolumes(
  mounts: readonly { readonly name: string; readonly mountPath: string }[],
  volumes: ReadonlyMap<string, readonly VolumeFile[]>,
  root: string,
): void {
  for (const { name, mountPath } of mounts) {
    const folder = path.join(root, mountPath);
    mkdirSync(folder, { recursive: true });
    for (const file of volumes.get(name) ?? []) writeFileSync(path.join(folder, file.path), file.bytes);
  }
}

function keepLog({ child, log }: Pod): void {
  for (const stream of [child?.stdout, child?.stderr])
    if (stream) createInterface({ input: stream }).on('line', (text) => log.push({ at: globalThis.Date.now(), text }));
}

const ECHO_PORT = 3000;

async function answers(host: string): Promise<void> {
  const until = performance.now() + READY_WITHIN_MS;
  while (!(await listens(host))) {
    if (performance.now() > until) throw new Error(`the Pod at ${host} does not listen`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function listens(host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(ECHO_PORT, host);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

async function removePod({ namespace, name, child }: Pod, client: ApiClient): Promise<void> {
  child?.kill('SIGKILL');
  await client.send('DELETE', `/api/v1/namespaces/${namespace}/pods/${name}?gracePeriodSeconds=0`);
}

/** `GET /containerLogs/NAMESPACE/POD/CONTAINER?sinceTime=…`, which is where an API server gets logs from. */
async function serveLogs(pods: ReadonlyMap<string, Pod>): Promise<{ readonly close: () => void }> {
  const { certificate: cert, key } = issue({ commonName: NODE, names: [NODE_ADDRESS] });
  const server = createServer({ cert, key }, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'https://node');
    const [, called, namespace, name] = pathname.split('/');
    const pod = called === 'containerLogs' ? pods.get(`${namespace}/${name}`) : undefined;
    if (pod === undefined) {
      response.writeHead(404).end();
      return;
    }
    const since = globalThis.Date.parse(searchParams.get('sinceTime') ?? '') || 0;
    response.end(pod.log.flatMap(({ at, text }) => (at >= since ? [`${text}\n`] : [])).join(''));
  });
  await new Promise<void>((resolve) => {
    server.listen(LOG_PORT, NODE_ADDRESS, resolve);
  });
  return { close: () => server.close() };
}

export async function must(
  client: ApiClient,
  method: 'POST' | 'PUT' | 'PATCH',
  place: string,
  object: unknown,
): Promise<void> {
  const { status, body } = await client.send(method, place, object);
  if (status !== 200 && status !== 201) throw new Error(`${method} ${place}: ${status} ${String(body['message'])}`);
}
