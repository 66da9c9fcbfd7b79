import type { JsonObject } from '../../base/json.ts';

/** The lists of an object that merge item by item, by field; every other list is replaced whole. */
export interface Shape {
  readonly [field: string]: Shape | KeyedList | ValueList;
}

/** Two items are one when they have the same value of `mergeBy`. */
export interface KeyedList {
  readonly mergeBy: string;
  readonly items: Shape;
  /** Items may lack the key, and then are one with those that lack it too. */
  readonly keyOptional?: true;
  /**
   * The members that tell items apart for server-side apply, each with the value it has when it is left out. A list without
   * this is owned as a whole: the orchestrator knows merging and owning apart.
   */
  readonly ownedBy?: Readonly<Record<string, string | undefined>>;
}

/** Plain values that are merged as a set. */
export type ValueList = 'values';

const list = (mergeBy: string, items: Shape = {}): KeyedList => ({ mergeBy, items });

const CONTAINER: Shape = {
  env: list('name'),
  ports: list('containerPort'),
  volumeMounts: list('mountPath'),
  volumeDevices: list('devicePath'),
};

const POD: Shape = {
  containers: list('name', CONTAINER),
  initContainers: list('name', CONTAINER),
  ephemeralContainers: list('name', CONTAINER),
  volumes: list('name'),
  imagePullSecrets: list('name'),
  hostAliases: list('ip'),
  topologySpreadConstraints: list('topologyKey'),
  schedulingGates: list('name'),
  resourceClaims: list('name'),
  // OVERLAY-006: by key, where the orchestrator's own tools replace the list. docs/decisions/overlay-tolerations.md
  tolerations: { mergeBy: 'key', items: {}, keyOptional: true },
};

const WORKLOAD: Shape = { spec: { template: { spec: POD } } };
const LISTENERS: Shape = { spec: { listeners: { ...list('name'), ownedBy: { name: undefined } } } };
const METADATA: Shape = { ownerReferences: list('uid'), finalizers: 'values' };

/** By kind. The keys are those of the orchestrator's API types; overlays, patches and server-side apply go by them. */
export const MERGE_KEYS: Readonly<Record<string, Shape>> = {
  Deployment: WORKLOAD,
  DaemonSet: WORKLOAD,
  Service: { spec: { ports: { ...list('port'), ownedBy: { port: undefined, protocol: 'TCP' } } } },
  ServiceAccount: { secrets: list('name'), imagePullSecrets: list('name') },
  PodDisruptionBudget: {},
  HorizontalPodAutoscaler: {},
  Pod: { status: { conditions: list('type') } },
  Gateway: LISTENERS,
  ListenerSet: LISTENERS,
};

/** The lists of a whole object, those of its metadata included. */
export function shapeOf(kind: string): Shape {
  return { ...MERGE_KEYS[kind], metadata: METADATA };
}

export function isKeyedList(shape: Shape[string] | undefined): shape is KeyedList {
  return shape !== undefined && shape !== 'values' && typeof shape['mergeBy'] === 'string';
}

/** Numbers and texts of one spelling are the same key, as ports may be written either way. */
export function keyOf(item: JsonObject, { mergeBy }: KeyedList): string {
  const value = item[mergeBy];
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}
