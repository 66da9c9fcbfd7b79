import { z } from 'zod';
import { type Fields, rule } from './groups.ts';
import { INFERENCE_API_GROUP } from './inference/inference-pool.ts';
import { described, noted } from './notes.ts';
import { group, kindName, namespaceName, objectName, portNumber } from './scalars.ts';

/** By name, in the namespace of the resource that refers (ATTACH-021). */
export const localObjectReference = described(
  z.strictObject({
    group: group.exactOptional(),
    kind: kindName.exactOptional(),
    name: objectName,
  }),
  {
    group: 'Group; empty is core.',
    kind: 'Kind.',
    name: 'Name.',
  },
  'An object of the same namespace.',
);

/** What `objectReference` gives: an object by name, of this namespace or another. */
const reference = z.strictObject({
  group: group.exactOptional(),
  kind: kindName.exactOptional(),
  name: objectName,
  namespace: namespaceName.exactOptional(),
});

/** By name, perhaps in another namespace; `kind` when unset is the usual one of the place. */
export function objectReference(usualKind: string, text?: string): typeof reference {
  return described(
    reference,
    {
      group: 'Group; empty is core.',
      kind: `Kind of the object. Default: ${usualKind}.`,
      name: 'Name.',
      namespace: 'Its namespace; by default the same.',
    },
    text,
  );
}

/** A Secret of the same namespace. Empty group and kind select a core Secret (LIMIT-010). */
export const localSecretObjectRef = described(
  z.strictObject({
    group: noted(group, { default: '' }).exactOptional(),
    kind: noted(z.string().max(63), { default: 'Secret' }).exactOptional(),
    name: objectName,
  }),
  {
    group: 'Group; empty is core.',
    kind: 'Kind.',
    name: 'Name.',
  },
  'A Secret of the same namespace.',
);

/** One key of a Secret of the same namespace; `key` when unset depends on the place the reference stands in (LIMIT-011). */
const localSecretKeyRef = described(
  z.strictObject({
    group: group.exactOptional(),
    kind: noted(kindName, { default: 'Secret' }).exactOptional(),
    name: objectName,
    key: noted(z.string().min(1).max(253), { clause: 'LIMIT-011' }).exactOptional(),
  }),
  {
    group: 'Group; empty is core.',
    kind: 'Kind.',
    name: 'Name.',
    key: 'Key in the Secret.',
  },
  'One key of a Secret of the same namespace.',
);

/** The same where the place has a key of its own (LIMIT-011). */
export function secretKeyRef(defaultKey: string): typeof localSecretKeyRef {
  const { key } = localSecretKeyRef.shape;
  return localSecretKeyRef.extend({ key: noted(key.unwrap(), { default: defaultKey }).exactOptional() });
}

const PORT_MESSAGE = 'port is required for a Service';
const PORT_CEL =
  "has(self.port) || (has(self.kind) && self.kind != 'Service') || (has(self.group) && self.group != '')";

/** A Service (the default kind, with its port) or a ProxyBackend (LIMIT-012). */
export const backendObjectReference = rule(
  described(
    z.strictObject({
      group: noted(group, { default: '' }).exactOptional(),
      kind: noted(kindName, { default: 'Service' }).exactOptional(),
      name: objectName,
      namespace: namespaceName.exactOptional(),
      port: portNumber.exactOptional(),
    }),
    {
      group: 'Group; empty is core.',
      kind: 'Kind.',
      name: 'Name.',
      namespace: 'Its namespace; by default the same.',
      port: 'Its port; required for a Service.',
    },
    'A Service or a ProxyBackend.',
  ),
  'LIMIT-012',
  (ref) => !isService(ref) || ref['port'] !== undefined,
  PORT_MESSAGE,
  PORT_CEL,
);

/** A Service or InferencePool of the same namespace (ADMIT-029, ADMIT-031). */
export const localBackendObjectReference = rule(
  rule(
    described(
      z.strictObject({
        group: group.exactOptional(),
        kind: noted(kindName, { default: 'Service' }).exactOptional(),
        name: objectName,
        port: portNumber.exactOptional(),
      }),
      {
        group: 'Group; empty is core.',
        kind: 'Kind.',
        name: 'Name.',
        port: 'Its port; required for a Service.',
      },
      'A Service or InferencePool of the same namespace.',
    ),
    'ADMIT-031',
    (ref) => (ref['kind'] ?? 'Service') !== 'Service' || ref['port'] !== undefined,
    PORT_MESSAGE,
    "has(self.port) || (has(self.kind) && self.kind != 'Service')",
  ),
  'ADMIT-029',
  (ref) =>
    isService(ref) ||
    (ref['kind'] === 'InferencePool' && (ref['group'] ?? INFERENCE_API_GROUP) === INFERENCE_API_GROUP),
  'the reference must name a Service or an InferencePool',
  `has(self.kind) && self.kind == 'InferencePool' ? !has(self.group) || self.group == '${INFERENCE_API_GROUP}'
    : (!has(self.kind) || self.kind == 'Service') && (!has(self.group) || self.group == '')`,
);

/** With the group that follows from the kind where none is said. */
export function backendOf(ref: LocalBackendObjectReference): BackendObjectReference {
  return ref.kind === 'InferencePool' ? { ...ref, group: INFERENCE_API_GROUP } : ref;
}

/** Names a Service, in so many words or because nothing else is said. */
export function isService(ref: Fields): boolean {
  return (ref['kind'] ?? 'Service') === 'Service' && (ref['group'] ?? '') === '';
}

export type ObjectReference = z.infer<typeof reference>;
export type LocalObjectReference = z.infer<typeof localObjectReference>;
export type LocalSecretObjectRef = z.infer<typeof localSecretObjectRef>;
export type LocalSecretKeyRef = z.infer<typeof localSecretKeyRef>;
export type BackendObjectReference = z.infer<typeof backendObjectReference>;
export type LocalBackendObjectReference = z.infer<typeof localBackendObjectReference>;
