import { z } from 'zod';
import { noted } from './notes.ts';
import { namespaceName, objectName, sectionName, stringMap } from './scalars.ts';

/** The members a client may send; those a server adds are accepted and kept. */
export const objectMeta = z.strictObject({
  name: objectName,
  namespace: namespaceName.exactOptional(),
  labels: stringMap.exactOptional(),
  annotations: stringMap.exactOptional(),
  // Tools print `null` for an object that was not created yet.
  creationTimestamp: z.iso.datetime({ offset: true }).nullable().exactOptional(),
  deletionTimestamp: z.iso.datetime({ offset: true }).nullable().exactOptional(),
  deletionGracePeriodSeconds: z.number().int().exactOptional(),
  finalizers: z.array(z.string()).exactOptional(),
  generateName: z.string().exactOptional(),
  generation: z.number().int().exactOptional(),
  managedFields: z.array(z.looseObject({})).exactOptional(),
  ownerReferences: z.array(z.looseObject({})).exactOptional(),
  resourceVersion: z.string().exactOptional(),
  selfLink: z.string().exactOptional(),
  uid: z.string().exactOptional(),
});

/** One statement of a status, as the orchestrator writes it. */
export const condition = z.strictObject({
  type: z.string().min(1).max(316),
  status: z.enum(['True', 'False', 'Unknown']),
  observedGeneration: z.number().int().min(0).exactOptional(),
  lastTransitionTime: z.string(),
  reason: z.string().min(1).max(1024),
  message: z.string().max(32_768),
});

const expression = z.strictObject({
  key: z.string(),
  operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
  values: z.array(z.string()).exactOptional(),
});

/** Both members must hold; empty selects everything. */
export const labelSelector = z.strictObject({
  matchLabels: stringMap.exactOptional(),
  matchExpressions: z.array(expression).exactOptional(),
});

/** Where a route, model or policy hangs: a Gateway, a ListenerSet or one listener of them. */
export const parentReference = z.strictObject({
  group: z.string().max(253).exactOptional(),
  kind: z.string().min(1).max(63).exactOptional(),
  namespace: namespaceName.exactOptional(),
  name: objectName,
  sectionName: sectionName.exactOptional(),
  port: z.number().int().min(1).max(65_535).exactOptional(),
});

const parentStatus = z.strictObject({
  parentRef: parentReference,
  controllerName: z.string(),
  conditions: z.array(condition).exactOptional(),
});

/** Status of what attaches to parents: HTTPRoute with up to 32, ProxyModel with up to 16 (LIMIT-024). */
export function parentsStatusOf(max: number, clause?: string): typeof parentsStatus {
  const parents = z.array(parentStatus).max(max);
  return z.strictObject({ parents: (clause === undefined ? parents : noted(parents, { clause })).exactOptional() });
}

export const parentsStatus = z.strictObject({ parents: z.array(parentStatus).max(32).exactOptional() });

export type ObjectMeta = z.infer<typeof objectMeta>;
export type Condition = z.infer<typeof condition>;
export type LabelSelector = z.infer<typeof labelSelector>;
export type ParentReference = z.infer<typeof parentReference>;
export type RouteParentStatus = z.infer<typeof parentStatus>;
