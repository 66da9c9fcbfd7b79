import type { z } from 'zod';
import { configMap } from './core/config-map.ts';
import { endpointSlice } from './core/endpoint-slice.ts';
import { namespace as namespaceKind } from './core/namespace.ts';
import { pod } from './core/pod.ts';
import { secret } from './core/secret.ts';
import { service } from './core/service.ts';
import { gateway } from './gateway-api/gateway.ts';
import { gatewayClass } from './gateway-api/gateway-class.ts';
import { httpRoute } from './gateway-api/http-route.ts';
import { listenerSet } from './gateway-api/listener-set.ts';
import { referenceGrant } from './gateway-api/reference-grant.ts';
import { inferencePool } from './inference/inference-pool.ts';
import { proxyBackend } from './proxy-backend/backend.ts';
import { proxyModel } from './proxy-model/model.ts';
import { proxyParameters } from './proxy-parameters.ts';
import { proxyPolicy } from './proxy-policy/policy.ts';

/** Every kind the proxy knows. Kind names are unique over all groups, so a name alone selects a row. */
export const KINDS = {
  ProxyBackend: {
    apiVersion: 'proxy.example/v1alpha1',
    plural: 'proxybackends',
    namespaced: true,
    schema: proxyBackend,
  },
  ProxyModel: { apiVersion: 'proxy.example/v1alpha1', plural: 'proxymodels', namespaced: true, schema: proxyModel },
  ProxyParameters: {
    apiVersion: 'proxy.example/v1alpha1',
    plural: 'proxyparameters',
    namespaced: true,
    schema: proxyParameters,
  },
  ProxyPolicy: { apiVersion: 'proxy.example/v1alpha1', plural: 'proxypolicies', namespaced: true, schema: proxyPolicy },
  GatewayClass: {
    apiVersion: 'gateway.networking.k8s.io/v1',
    plural: 'gatewayclasses',
    namespaced: false,
    schema: gatewayClass,
  },
  Gateway: { apiVersion: 'gateway.networking.k8s.io/v1', plural: 'gateways', namespaced: true, schema: gateway },
  ListenerSet: {
    apiVersion: 'gateway.networking.k8s.io/v1',
    plural: 'listenersets',
    namespaced: true,
    schema: listenerSet,
  },
  HTTPRoute: { apiVersion: 'gateway.networking.k8s.io/v1', plural: 'httproutes', namespaced: true, schema: httpRoute },
  ReferenceGrant: {
    apiVersion: 'gateway.networking.k8s.io/v1beta1',
    plural: 'referencegrants',
    namespaced: true,
    schema: referenceGrant,
  },
  Service: { apiVersion: 'v1', plural: 'services', namespaced: true, schema: service },
  EndpointSlice: {
    apiVersion: 'discovery.k8s.io/v1',
    plural: 'endpointslices',
    namespaced: true,
    schema: endpointSlice,
  },
  Pod: { apiVersion: 'v1', plural: 'pods', namespaced: true, schema: pod },
  InferencePool: {
    apiVersion: 'inference.networking.k8s.io/v1',
    plural: 'inferencepools',
    namespaced: true,
    schema: inferencePool,
  },
  Secret: { apiVersion: 'v1', plural: 'secrets', namespaced: true, schema: secret },
  ConfigMap: { apiVersion: 'v1', plural: 'configmaps', namespaced: true, schema: configMap },
  Namespace: { apiVersion: 'v1', plural: 'namespaces', namespaced: false, schema: namespaceKind },
} as const satisfies Readonly<Record<string, Kind>>;

/** What the registry knows about one kind. */
export interface Kind {
  readonly apiVersion: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly schema: z.ZodType;
}

export type KindName = keyof typeof KINDS;

type ResourcesByKind = { [Name in KindName]: z.infer<(typeof KINDS)[Name]['schema']> };

export type ResourceOf<Name extends KindName> = ResourcesByKind[Name];

/** Any resource that passed admission; `kind` tells which. */
export type Resource = ResourcesByKind[KindName];

export function isKindName(name: string): name is KindName {
  return Object.hasOwn(KINDS, name);
}

/** Narrows a resource by its kind. */
export function isOfKind<Name extends KindName>(resource: Resource, kind: Name): resource is ResourceOf<Name> {
  return resource.kind === kind;
}

/** `group` of an apiVersion; empty for the core group. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** `kind.group/namespace/name`, as in `Gateway.gateway.networking.k8s.io/default/gw` or `Service/default/api`. */
export function keyOf(resource: Resource): string {
  return resourceKey(resource.kind, resource.metadata.namespace ?? '', resource.metadata.name);
}

/** The key an object of this kind would have; cluster-wide kinds have the empty namespace. */
export function resourceKey(kind: KindName, namespace: string, name: string): string {
  const group = groupOf(KINDS[kind].apiVersion);
  return `${group === '' ? kind : `${kind}.${group}`}/${namespace}/${name}`;
}
