import type { Json } from '../verdicts.ts';
import type { Cluster, ClusterObject } from './cluster.ts';
import type { DataPlane } from './data-planes.ts';

/** What the process of a Gateway says, and its address. */
export interface Told {
  readonly address: string;
  readonly statuses: ReadonlyMap<string, Json>;
}

/** A status to write, and where: the path of the object. */
export interface StatusToWrite {
  readonly object: ClusterObject;
  readonly status: Json;
}

/** By `namespace/name` of the Gateway; that without one under the empty name. */
export async function askAll(planes: ReadonlyMap<string, DataPlane>): Promise<ReadonlyMap<string, Told>> {
  const told = await Promise.all(
    [...planes].map(async ([gateway, { address, statuses }]) => {
      const answer = await statuses().catch(() => undefined);
      return answer === undefined ? [] : [[gateway, { address, statuses: answer }] as const];
    }),
  );
  return new Map(told.flat());
}

/**
 * Every process knows its own Gateway only. Of a GatewayClass the process without one tells, of a ListenerSet that of its Gateway; a route gets
 * for every parentRef what the process of that parent's Gateway says. Where the Gateway is not of our class, nothing is said.
 */
export function statusesToWrite(cluster: Cluster, told: ReadonlyMap<string, Told>): readonly StatusToWrite[] {
  const from = (gateway: string, object: ClusterObject): Json | undefined =>
    told.get(gateway)?.statuses.get(`${object.kind}/${object.metadata.namespace ?? ''}/${object.metadata.name}`);
  return [
    ...cluster.ofKind('GatewayClass').flatMap((object) => write(object, from('', object))),
    ...cluster.ofKind('Gateway').flatMap((object) => {
      const key = idOf(object);
      const status = from(key, object);
      const addresses = [{ type: 'IPAddress', value: told.get(key)?.address }];
      return write(object, status && { ...status, addresses });
    }),
    ...cluster.ofKind('ListenerSet').flatMap((object) => write(object, from(gatewayOfSet(object), object))),
    ...cluster.ofKind('HTTPRoute').flatMap((object) => write(object, routeStatus(object, cluster, from))),
  ];
}

function write(object: ClusterObject, status: Json | undefined): readonly StatusToWrite[] {
  return status === undefined ? [] : [{ object, status }];
}

interface ParentRef {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name: string;
}

function routeStatus(
  route: ClusterObject,
  cluster: Cluster,
  from: (gateway: string, object: ClusterObject) => Json | undefined,
): Json {
  const parentRefs = (route.spec?.['parentRefs'] ?? []) as readonly ParentRef[];
  const parents = parentRefs.flatMap((parentRef, index) => {
    const gateway = gatewayOfParent(route, parentRef, cluster);
    const status = gateway === undefined ? undefined : from(gateway, route);
    const entry = (status?.['parents'] as readonly Json[] | undefined)?.[index];
    return entry === undefined ? [] : [entry];
  });
  return { parents };
}

function gatewayOfParent(
  { metadata }: ClusterObject,
  { kind = 'Gateway', namespace = metadata.namespace, name }: ParentRef,
  cluster: Cluster,
): string | undefined {
  if (kind === 'Gateway') return `${namespace}/${name}`;
  const set = kind === 'ListenerSet' ? cluster.get('ListenerSet', namespace, name) : undefined;
  return set && gatewayOfSet(set);
}

function gatewayOfSet({ metadata, spec = {} }: ClusterObject): string {
  const { namespace = metadata.namespace, name } = spec['parentRef'] as ParentRef;
  return `${namespace}/${name}`;
}

export function idOf({ metadata }: ClusterObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
