import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { request } from 'undici';
import type { Json } from '../verdicts.ts';
import type { Cluster, ClusterObject } from './cluster.ts';

/** The kinds the reference reads. */
const READ = [
  'Namespace',
  'Service',
  'Secret',
  'ConfigMap',
  'Pod',
  'EndpointSlice',
  'GatewayClass',
  'Gateway',
  'ListenerSet',
  'HTTPRoute',
  'ReferenceGrant',
  'ProxyBackend',
  'ProxyModel',
  'ProxyParameters',
  'ProxyPolicy',
];
/** Written by us: what they say must not make the reference read everything again. */
const WITH_STATUS_OF_OURS = new Set(['GatewayClass', 'Gateway', 'ListenerSet', 'HTTPRoute']);

/** A process of the reference that serves one Gateway, as in a cluster, where each has a workload of its own. */
export interface DataPlane {
  readonly address: string;
  /** With its configuration, once it has one. */
  readonly folder: string;
  /** Gives it everything the server has, but for other Gateways. */
  readonly configure: (cluster: Cluster) => void;
  /** What it says of every resource, by `Kind/namespace/name`; undefined until it answers. */
  readonly statuses: () => Promise<ReadonlyMap<string, Json> | undefined>;
  readonly stop: () => void;
}

/** `gateway` as `namespace/name`; without one it serves none, and tells the status of what no Gateway has a part in. */
export function startDataPlane(gateway: string | undefined, address: string, root: string): DataPlane {
  const folder = path.join(root, (gateway ?? 'no-gateway').replace('/', '--'));
  mkdirSync(folder, { recursive: true });
  const child = spawn(
    'node',
    ['bin/refproxy.mjs', 'serve', '--config', folder, '--listen-address', address, '--admin-port', '0'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let admin: string | undefined;
  onLine(child, (line) => {
    admin ??= /^refproxy ready: admin 127\.0\.0\.1:(\d+)/.exec(line)?.[1];
    if (/"level":"(warn|error)"|^error/.test(line)) console.error(`${gateway ?? 'no Gateway'}: ${line}`);
  });
  let written = '';
  let known: { readonly tag: string; readonly statuses: ReadonlyMap<string, Json> } | undefined;
  return {
    address,
    folder,
    configure: (cluster) => {
      const text = configuration(cluster, gateway);
      if (text === written) return;
      written = text;
      const draft = path.join(folder, '.all.yaml');
      writeFileSync(draft, text);
      renameSync(draft, path.join(folder, 'all.yaml'));
    },
    statuses: async () => {
      // Nobody waits for one that is about to start.
      if (admin === undefined) return undefined;
      const { statusCode, headers, body } = await request(`http://127.0.0.1:${admin}/status`, {
        headers: known === undefined ? {} : { 'if-none-match': known.tag },
      });
      if (statusCode === 304) {
        await body.dump();
        return known?.statuses;
      }
      const { resources } = (await body.json()) as { readonly resources: readonly StatusEntry[] };
      const statuses = new Map(
        resources.map(({ kind, namespace, name, status }) => [`${kind}/${namespace}/${name}`, status] as const),
      );
      known = { tag: String(headers['etag']), statuses };
      return statuses;
    },
    stop: () => {
      child.kill('SIGKILL');
    },
  };
}

interface StatusEntry {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly status: Json;
}

function configuration(cluster: Cluster, gateway: string | undefined): string {
  const objects = READ.flatMap((kind) => cluster.ofKind(kind)).filter(
    ({ kind, metadata }) => kind !== 'Gateway' || `${metadata.namespace}/${metadata.name}` === gateway,
  );
  return objects.map((object) => `---\n${JSON.stringify(forReference(object))}\n`).join('');
}

function forReference(object: ClusterObject): ClusterObject {
  const { managedFields: _, resourceVersion: __, ...metadata } = object.metadata;
  if (!WITH_STATUS_OF_OURS.has(object.kind)) return { ...object, metadata };
  const { status: ___, ...rest } = object;
  return { ...rest, metadata };
}

/** What the process says on stderr. */
function onLine({ stderr }: ChildProcess, listener: (line: string) => void): void {
  if (stderr) createInterface({ input: stderr }).on('line', listener);
}
