import { z } from 'zod';
import { described, noted } from './notes.ts';
import { namespaceName, objectName, sectionName, stringMap } from './scalars.ts';

/** The members a client may send; those a server adds are accepted and kept. */
export const objectMeta = described(
  z.strictObject({
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
    managedFields: z.array(noted(z.looseObject({}), { text: 'The fields of one owner.' })).exactOptional(),
    ownerReferences: z.array(noted(z.looseObject({}), { text: 'One owner.' })).exactOptional(),
    resourceVersion: z.string().exactOptional(),
    selfLink: z.string().exactOptional(),
    uid: z.string().exactOptional(),
  }),
  {
    name: 'Name, unique in the namespace for the kind.',
    namespace: 'Namespace of the object.',
    labels: 'Labels selectors find it by.',
    annotations: 'Notes of tools.',
    creationTimestamp: 'When it was created; the server sets it.',
    deletionTimestamp: 'When its deletion was asked for; the server sets it.',
    deletionGracePeriodSeconds: 'Time until deletion, in seconds; the server sets it.',
    finalizers: 'Who must agree before it is gone.',
    generateName: 'Beginning of a name the server completes.',
    generation: 'Number of the wanted state; the server sets it.',
    managedFields: 'Who set which field; the server keeps it.',
    ownerReferences: 'Objects it goes with.',
    resourceVersion: 'Version of the object; the server sets it.',
    selfLink: 'Address of the object; no longer set.',
    uid: 'Id over all time; the server sets it.',
  },
);

/** One statement of a status, as the orchestrator writes it. */
export const condition = described(
  z.strictObject({
    type: z.string().min(1).max(316),
    status: z.enum(['True', 'False', 'Unknown']),
    observedGeneration: z.number().int().min(0).exactOptional(),
    lastTransitionTime: z.string(),
    reason: z.string().min(1).max(1024),
    message: z.string().max(32_768),
  }),
  {
    type: 'What the statement is about.',
    status: 'Whether it holds.',
    observedGeneration: 'Generation of the object it was made about.',
    lastTransitionTime: 'When the status last changed, in RFC 3339.',
    reason: 'Why, in one word for programs.',
    message: 'Why, for people.',
  },
  'One statement of a status.',
);

const expression = described(
  z.strictObject({
    key: z.string(),
    operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
    values: z.array(z.string()).exactOptional(),
  }),
  { key: 'Key of the label.', operator: 'How the label is compared.', values: 'Values for In and NotIn.' },
  'A condition on one label.',
);

/** Both members must hold; empty selects everything. */
export const labelSelector = described(
  z.strictObject({
    matchLabels: stringMap.exactOptional(),
    matchExpressions: z.array(expression).exactOptional(),
  }),
  { matchLabels: 'Labels an object must have.', matchExpressions: 'Conditions on labels; all must hold.' },
  'Finds objects by labels; both members must hold, and empty finds all.',
);

/** Where a route, model or policy hangs: a Gateway, a ListenerSet or one listener of them. */
export const parentReference = described(
  z.strictObject({
    group: z.string().max(253).exactOptional(),
    kind: z.string().min(1).max(63).exactOptional(),
    namespace: namespaceName.exactOptional(),
    name: objectName,
    sectionName: sectionName.exactOptional(),
    port: z.number().int().min(1).max(65_535).exactOptional(),
  }),
  {
    group: 'API group of the parent. Default: gateway.networking.k8s.io.',
    kind: 'Kind of the parent. Default: Gateway.',
    namespace: 'Namespace of the parent; its own when absent.',
    name: 'Name of the parent.',
    sectionName: 'One listener by name; every listener when absent.',
    port: 'Listeners of one port; every port when absent.',
  },
  'What it hangs on: a Gateway, a ListenerSet or one listener of them.',
);

const parentStatus = described(
  z.strictObject({
    parentRef: parentReference,
    controllerName: z.string(),
    conditions: z.array(condition).exactOptional(),
  }),
  { parentRef: 'The parent.', controllerName: 'Who says so.', conditions: 'What is said.' },
  'What became of it at one parent.',
);

const EACH_PARENT = { parents: 'What became of it, parent by parent.' };

/** Status of what attaches to parents: HTTPRoute with up to 32, ProxyModel with up to 16 (LIMIT-024). */
export function parentsStatusOf(max: number, clause?: string): typeof parentsStatus {
  const parents = z.array(parentStatus).max(max);
  return described(
    z.strictObject({ parents: (clause === undefined ? parents : noted(parents, { clause })).exactOptional() }),
    EACH_PARENT,
  );
}

export const parentsStatus = described(
  z.strictObject({ parents: z.array(parentStatus).max(32).exactOptional() }),
  EACH_PARENT,
);

export type ObjectMeta = z.infer<typeof objectMeta>;
export type Condition = z.infer<typeof condition>;
export type LabelSelector = z.infer<typeof labelSelector>;
export type ParentReference = z.infer<typeof parentReference>;
export type RouteParentStatus = z.infer<typeof parentStatus>;
