import { createHash } from 'node:crypto';
import { GATEWAY_API_V1 } from '../../resources/gateway-api/gateway-api.ts';
import type { Gateway } from '../../resources/gateway-api/gateway.ts';
import type { Listener } from '../../resources/gateway-api/listener.ts';
import { namespaceOf } from '../../resources/envelope.ts';
import { CONTROLLER } from '../defaults.ts';
import type { JsonObject } from '../../base/json.ts';
import type { ManifestMeta } from '../manifest.ts';

/** What everything generated for one Gateway has in common. */
export interface Owner {
  readonly gateway: Gateway;
  /** Its listeners, and those that ListenerSets add to it. */
  readonly listeners: readonly Listener[];
  /** Version of the controller. */
  readonly version: string;
}

/** Metadata of a generated object, `suffix` telling it apart from the others of its kind. */
export function objectMeta({ gateway, version }: Owner, suffix = ''): ManifestMeta {
  const { labels = {}, annotations } = gateway.spec.infrastructure ?? {};
  const { uid } = gateway.metadata;
  const name = safeName(gateway.metadata.name);
  return {
    name: `${name}${suffix}`,
    namespace: namespaceOf(gateway),
    labels: {
      'app.kubernetes.io/managed-by': CONTROLLER,
      'app.kubernetes.io/version': version,
      'gateway.networking.k8s.io/gateway-class-name': gateway.spec.gatewayClassName,
      // PARAM-002: on every object; only what selectors go by is not theirs to change.
      ...labels,
      ...selectorLabels(gateway),
    },
    ...(annotations !== undefined && { annotations }),
    // Only an object that was created has a uid to be owned by.
    ...(uid !== undefined && {
      ownerReferences: [
        { apiVersion: GATEWAY_API_V1, kind: 'Gateway', name: gateway.metadata.name, uid, controller: true },
      ],
    }),
  };
}

/** Labels of pods. */
export function podLabels({ gateway }: Owner): JsonObject {
  return {
    'gateway.networking.k8s.io/gateway-class-name': gateway.spec.gatewayClassName,
    ...gateway.spec.infrastructure?.labels,
    ...selectorLabels(gateway),
  };
}

/** What the Service, the workload and the disruption budget find the pods by. */
export function selectorLabels(gateway: Gateway): JsonObject {
  const name = safeName(gateway.metadata.name);
  return {
    'app.kubernetes.io/name': name,
    'app.kubernetes.io/instance': name,
    'gateway.networking.k8s.io/gateway-name': name,
  };
}

const LONGEST_LABEL = 63;

/** Names of Gateways may be longer than labels; a shortened one ends in a hash of the whole. */
export function safeName(name: string): string {
  return name.length <= LONGEST_LABEL ? name : `${name.slice(0, 50)}-${sha256(name).slice(0, 12)}`;
}

/** In hexadecimal digits. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
