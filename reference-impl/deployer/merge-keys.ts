import type { JsonObject } from './manifest.ts';

/** The lists of an object that merge item by item, by field; every other list is replaced whole. */
export interface Shape {
  readonly [field: string]: Shape | KeyedList;
}

/** Two items are one when they have the same value of `mergeBy`. */
export interface KeyedList {
  readonly mergeBy: string;
  readonly items: Shape;
  /** Items may lack the key, and then are one with those that lack it too. */
  readonly keyOptional?: true;
}

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

/** By kind of the generated object. The keys are those of the orchestrator's API types. */
export const MERGE_KEYS: Readonly<Record<string, Shape>> = {
  Deployment: WORKLOAD,
  DaemonSet: WORKLOAD,
  Service: { spec: { ports: list('port') } },
  ServiceAccount: { secrets: list('name'), imagePullSecrets: list('name') },
  PodDisruptionBudget: {},
  HorizontalPodAutoscaler: {},
};

export function isKeyedList(shape: Shape | KeyedList | undefined): shape is KeyedList {
  return shape !== undefined && typeof shape['mergeBy'] === 'string';
}

/** Numbers and texts of one spelling are the same key, as ports may be written either way. */
export function keyOf(item: JsonObject, { mergeBy }: KeyedList): string {
  const value = item[mergeBy];
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}
