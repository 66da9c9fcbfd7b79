import { z } from 'zod';
import { type ObjectMeta, objectMeta } from './metadata.ts';
import { noted } from './notes.ts';

/** Our own API group and version (VERSION-003). */
export const PROXY_API_GROUP = 'proxy.example';
export const PROXY_API_VERSION = `${PROXY_API_GROUP}/v1alpha1` as const;

/** What every resource has, whatever its kind. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** The fields around a `spec`; spread them into the schema of a kind (ADMIT-001). */
export function envelope<ApiVersion extends string, Kind extends string>(
  apiVersion: ApiVersion,
  kind: Kind,
): { apiVersion: z.ZodLiteral<ApiVersion>; kind: z.ZodLiteral<Kind>; metadata: typeof objectMeta } {
  return {
    apiVersion: noted(z.literal(apiVersion), { text: 'API group and version.', clause: 'ADMIT-001' }),
    kind: noted(z.literal(kind), { text: 'Kind of the object.', clause: 'ADMIT-001' }),
    metadata: noted(objectMeta, { text: 'Name, namespace, labels and annotations.' }),
  };
}

/** Admission sets the namespace of every namespaced resource; cluster-wide resources have the empty one. */
export function namespaceOf(resource: Envelope): string {
  return resource.metadata.namespace ?? '';
}
