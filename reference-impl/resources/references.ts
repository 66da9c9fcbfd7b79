import { z } from 'zod';
import { rule } from './groups.ts';
import { group, kindName, namespaceName, objectName, portNumber } from './scalars.ts';

/** By name, in the namespace of the resource that refers (ATTACH-021). */
export const localObjectReference = z.strictObject({
  group: group.exactOptional(),
  kind: kindName.exactOptional(),
  name: objectName,
});

/** Empty group and kind select a core Secret. */
export const localSecretObjectRef = z.strictObject({
  group: group.exactOptional(),
  kind: z.string().max(63).exactOptional(),
  name: objectName,
});

/** `key` when unset depends on the place the reference stands in. */
export const localSecretKeyRef = z.strictObject({
  group: group.exactOptional(),
  kind: kindName.exactOptional(),
  name: objectName,
  key: z.string().min(1).max(253).exactOptional(),
});

/** A Service (the default kind) or a ProxyBackend. */
export const backendObjectReference = z.strictObject({
  group: group.exactOptional(),
  kind: kindName.exactOptional(),
  name: objectName,
  namespace: namespaceName.exactOptional(),
  port: portNumber.exactOptional(),
});

/** A Service or InferencePool of the same namespace. */
export const localBackendObjectReference = rule(
  rule(
    z.strictObject({
      group: group.exactOptional(),
      kind: kindName.exactOptional(),
      name: objectName,
      port: portNumber.exactOptional(),
    }),
    'ADMIT-031',
    (ref) => (ref['kind'] ?? 'Service') !== 'Service' || ref['port'] !== undefined,
    'port is required when the reference names a Service',
  ),
  'ADMIT-029',
  (ref) => ref['kind'] === undefined || ref['kind'] === 'Service' || ref['kind'] === 'InferencePool',
  'kind must be Service or InferencePool',
);

export type LocalObjectReference = z.infer<typeof localObjectReference>;
export type LocalSecretObjectRef = z.infer<typeof localSecretObjectRef>;
export type LocalSecretKeyRef = z.infer<typeof localSecretKeyRef>;
export type BackendObjectReference = z.infer<typeof backendObjectReference>;
export type LocalBackendObjectReference = z.infer<typeof localBackendObjectReference>;
