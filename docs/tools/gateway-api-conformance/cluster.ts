import type { Json } from '../verdicts.ts';
import type { ApiClient } from '../real-api-server/api-client.ts';

/** An object as the server has it, as far as it is the same for every kind. */
export interface ClusterObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly uid: string }[];
    readonly deletionTimestamp?: string;
    readonly [other: string]: unknown;
  };
  readonly spec?: Json;
  readonly status?: Json;
  readonly [other: string]: unknown;
}

/** What the server has of some kinds, followed as it changes. */
export interface Cluster {
  readonly ofKind: (kind: string) => readonly ClusterObject[];
  readonly get: (kind: string, namespace: string | undefined, name: string) => ClusterObject | undefined;
}

const RETRY_MS = 200;

/** Lists every resource, given as path of its group and plural, and watches it from then on; resolves when all lists are there. */
export async function followCluster(
  client: ApiClient,
  resources: readonly string[],
  onChange: () => void,
): Promise<Cluster> {
  const byResource = new Map(resources.map((resource) => [resource, new Map<string, ClusterObject>()] as const));
  await Promise.all(
    [...byResource].map(async ([resource, objects]) => {
      const version = await list(client, resource, objects);
      void follow(client, resource, objects, version, onChange);
    }),
  );
  const ofKind = (kind: string): readonly ClusterObject[] =>
    [...byResource.values()].flatMap((objects) => [...objects.values()]).filter((object) => object.kind === kind);
  return {
    ofKind,
    get: (kind, namespace, name) =>
      ofKind(kind).find(({ metadata }) => metadata.name === name && metadata.namespace === namespace),
  };
}

type Objects = Map<string, ClusterObject>;

/** Returns the version of the list. */
async function list(client: ApiClient, resource: string, objects: Objects): Promise<string> {
  const { status, body } = await client.send('GET', resource);
  if (status !== 200) throw new Error(`${resource} cannot be listed: ${String(body['message'])}`);
  const { apiVersion, kind, items, metadata } = body as {
    readonly apiVersion: string;
    readonly kind: string;
    readonly items: readonly ClusterObject[];
    readonly metadata: { readonly resourceVersion: string };
  };
  objects.clear();
  for (const item of items) objects.set(item.metadata.uid, { ...item, apiVersion, kind: kind.replace(/List$/, '') });
  return metadata.resourceVersion;
}

/** Until the server is gone: where a watch ends, everything is listed again. */
async function follow(
  client: ApiClient,
  resource: string,
  objects: Objects,
  listed: string,
  onChange: () => void,
): Promise<never> {
  let version = listed;
  for (;;) {
    try {
      for await (const { type, object } of client.watch(`${resource}?watch=1&resourceVersion=${version}`)) {
        if (type === 'ERROR') break;
        const seen = object as unknown as ClusterObject;
        if (type === 'DELETED') objects.delete(seen.metadata.uid);
        else objects.set(seen.metadata.uid, seen);
        onChange();
      }
      version = await list(client, resource, objects);
      onChange();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
