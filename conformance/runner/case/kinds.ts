import type { JsonObject } from '../values/json.ts';

/** The API group of the resources under test. */
export const PROXY_GROUP = 'proxy.example';
export const GATEWAY_GROUP = 'gateway.networking.k8s.io';

/** The apiVersion a resource of `config` gets when it states none. */
export const API_VERSIONS: Readonly<Record<string, string>> = {
  ProxyBackend: `${PROXY_GROUP}/v1alpha1`,
  ProxyModel: `${PROXY_GROUP}/v1alpha1`,
  ProxyParameters: `${PROXY_GROUP}/v1alpha1`,
  ProxyPolicy: `${PROXY_GROUP}/v1alpha1`,
  Gateway: `${GATEWAY_GROUP}/v1`,
  GatewayClass: `${GATEWAY_GROUP}/v1`,
  HTTPRoute: `${GATEWAY_GROUP}/v1`,
  ListenerSet: `${GATEWAY_GROUP}/v1`,
  ReferenceGrant: `${GATEWAY_GROUP}/v1beta1`,
  EndpointSlice: 'discovery.k8s.io/v1',
  InferencePool: 'inference.networking.k8s.io/v1',
  Service: 'v1',
  Pod: 'v1',
  Secret: 'v1',
  ConfigMap: 'v1',
  Namespace: 'v1',
};

/** Kinds that live outside a namespace. */
export const CLUSTER_KINDS: ReadonlySet<string> = new Set(['Namespace', 'GatewayClass']);

/** A canonical resource of one of the kinds above. */
export function canonical(
  kind: string,
  metadata: JsonObject & { readonly name: string; readonly namespace: string },
  content: JsonObject,
): JsonObject {
  return { apiVersion: API_VERSIONS[kind], kind, metadata, ...content };
}
