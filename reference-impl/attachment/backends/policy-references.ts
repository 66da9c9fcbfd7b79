import type { ConfigMap } from '../../resources/core/config-map.ts';
import type { Secret } from '../../resources/core/secret.ts';
import { PROXY_API_GROUP } from '../../resources/envelope.ts';
import { GATEWAY_API_GROUP } from '../../resources/gateway-api/gateway-api.ts';
import type { BackendObjectReference } from '../../resources/references.ts';
import { backendOfPolicy, type BackendView, type UnresolvedBackend } from './backend-view.ts';
import type { PolicyRef } from '../policies/effective-policy.ts';
import type { Links } from '../links.ts';
import { selects } from '../namespaces.ts';

/** Who refers. */
export type Referring = Pick<PolicyRef, 'kind' | 'namespace'>;

/**
 * What the fields of policies refer to, resolved against the configuration of the moment. Secrets and ConfigMaps keep
 * their identity while they do not change; lists and backends for as long as this configuration is in force.
 */
export interface PolicyReferences {
  /** A Service or ProxyBackend, with the settings that are attached to it; another namespace takes a ReferenceGrant. */
  readonly backend: (ref: BackendObjectReference, from: Referring) => BackendView | UnresolvedBackend;
  readonly secret: (name: string, namespace: string) => Secret | undefined;
  readonly configMap: (name: string, namespace: string) => ConfigMap | undefined;
  /** All that carry the labels, by name (ATTACH-021: of that namespace only). */
  readonly secretsByLabels: (matchLabels: Labels, namespace: string) => readonly Secret[];
  readonly configMapsByLabels: (matchLabels: Labels, namespace: string) => readonly ConfigMap[];
}

type Labels = Readonly<Record<string, string>>;

export function policyReferences(links: Links): PolicyReferences {
  const { snapshot } = links;
  const backends = new WeakMap<BackendObjectReference, Map<string, BackendView | UnresolvedBackend>>();
  return {
    backend: (ref, { kind, namespace }) => {
      const group = kind === 'HTTPRoute' ? GATEWAY_API_GROUP : PROXY_API_GROUP;
      const byReferrer = backends.get(ref) ?? new Map<string, BackendView | UnresolvedBackend>();
      backends.set(ref, byReferrer);
      const key = `${kind}/${namespace}`;
      const backend = byReferrer.get(key) ?? backendOfPolicy(links, { group, kind, namespace }, ref);
      byReferrer.set(key, backend);
      return backend;
    },
    secret: (name, namespace) => snapshot.get('Secret', namespace, name),
    configMap: (name, namespace) => snapshot.get('ConfigMap', namespace, name),
    secretsByLabels: labelled(() => snapshot.byKind('Secret')),
    configMapsByLabels: labelled(() => snapshot.byKind('ConfigMap')),
  };
}

/** Looks through all objects once per selector. */
function labelled<Value extends Secret | ConfigMap>(
  all: () => readonly Value[],
): (matchLabels: Labels, namespace: string) => readonly Value[] {
  const found = new WeakMap<Labels, Map<string, readonly Value[]>>();
  return (matchLabels, namespace) => {
    const byNamespace = found.get(matchLabels) ?? new Map<string, readonly Value[]>();
    found.set(matchLabels, byNamespace);
    const values =
      byNamespace.get(namespace) ??
      all().filter(
        ({ metadata }) => metadata.namespace === namespace && selects({ matchLabels }, metadata.labels ?? {}),
      );
    byNamespace.set(namespace, values);
    return values;
  };
}
