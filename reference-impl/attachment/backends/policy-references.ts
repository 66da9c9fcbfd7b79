import { perKey } from '../../base/per-key.ts';
import { perObject } from '../../base/per-object.ts';
import type { ConfigMap } from '../../resources/core/config-map.ts';
import type { Secret } from '../../resources/core/secret.ts';
import { PROXY_API_GROUP } from '../../resources/envelope.ts';
import { GATEWAY_API_GROUP } from '../../resources/gateway-api/gateway-api.ts';
import type { BackendObjectReference, LocalObjectReference } from '../../resources/references.ts';
import type { Snapshot } from '../../store/snapshot.ts';
import { selects } from '../namespaces.ts';
import type { PolicyRef } from '../policies/effective-policy.ts';
import { type BackendLinks, backendOfPolicy, type BackendView, type UnresolvedBackend } from './backend-view.ts';

/** Who refers. */
export type Owner = Pick<PolicyRef, 'kind' | 'namespace'>;

/**
 * What the fields of policies refer to, resolved against the configuration of the moment by the first who asks. Secrets
 * and ConfigMaps keep their identity while they do not change; lists and backends for as long as this configuration is
 * in force.
 */
export interface PolicyReferences {
  /** A Service or ProxyBackend, with the settings that are attached to it; another namespace takes a ReferenceGrant. */
  readonly backend: (ref: BackendObjectReference, from: Owner) => BackendView | UnresolvedBackend;
  /** LIMIT-010: what is of another group or kind is no Secret, whatever its name. */
  readonly secret: (ref: LocalReference, namespace: string) => Secret | undefined;
  readonly configMap: (ref: LocalReference, namespace: string) => ConfigMap | undefined;
  /** All that carry the labels, by name (ATTACH-021: of that namespace only). */
  readonly secretsByLabels: (matchLabels: Labels, namespace: string) => readonly Secret[];
  readonly configMapsByLabels: (matchLabels: Labels, namespace: string) => readonly ConfigMap[];
}

type Labels = Readonly<Record<string, string>>;
/** A reference by name to something of one's own namespace. */
type LocalReference = Pick<LocalObjectReference, 'group' | 'kind' | 'name'>;

export function policyReferences(snapshot: Snapshot, links: BackendLinks): PolicyReferences {
  const backendFrom = perObject((ref: BackendObjectReference) =>
    perKey((kind: Owner['kind']) =>
      perKey((namespace: string) => {
        const group = kind === 'HTTPRoute' ? GATEWAY_API_GROUP : PROXY_API_GROUP;
        return backendOfPolicy(links, { group, kind, namespace }, ref);
      }),
    ),
  );
  const secrets = findByLabels(() => snapshot.byKind('Secret'));
  const configMaps = findByLabels(() => snapshot.byKind('ConfigMap'));
  return {
    backend: (ref, { kind, namespace }) => backendFrom(ref)(kind)(namespace),
    secret: (ref, namespace) => (isOfCore(ref, 'Secret') ? snapshot.get('Secret', namespace, ref.name) : undefined),
    configMap: (ref, namespace) =>
      isOfCore(ref, 'ConfigMap') ? snapshot.get('ConfigMap', namespace, ref.name) : undefined,
    secretsByLabels: (matchLabels, namespace) => secrets(matchLabels)(namespace),
    configMapsByLabels: (matchLabels, namespace) => configMaps(matchLabels)(namespace),
  };
}

/** LIMIT-010: an empty group is core, an empty kind the usual one of the place. */
function isOfCore({ group = '', kind = '' }: LocalReference, usual: 'Secret' | 'ConfigMap'): boolean {
  return group === '' && (kind === '' || kind === usual);
}

/** Looks through all objects once per selector and namespace. */
function findByLabels<Value extends Secret | ConfigMap>(
  all: () => readonly Value[],
): (matchLabels: Labels) => (namespace: string) => readonly Value[] {
  return perObject((matchLabels: Labels) =>
    perKey((namespace: string) =>
      all().filter(
        ({ metadata }) => metadata.namespace === namespace && selects({ matchLabels }, metadata.labels ?? {}),
      ),
    ),
  );
}
