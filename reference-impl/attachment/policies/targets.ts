import { namespaceOf } from '../../resources/envelope.ts';
import { groupOf, isKindName } from '../../resources/kinds.ts';
import type { ProxyPolicy } from '../../resources/proxy-policy/policy.ts';
import type { Snapshot } from '../../store/snapshot.ts';
import { selects } from '../namespaces.ts';

/** What a policy can be attached to: an object, one named part of it, or one port of a Gateway. */
export interface Target {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly sectionName?: string | undefined;
  readonly port?: number | undefined;
}

/** The policies attached to exactly this target. */
export type PoliciesAt = (target: Target) => readonly ProxyPolicy[];

/** Which policy is attached to what. */
export function attachedPolicies(snapshot: Snapshot): PoliciesAt {
  const byTarget = new Map<string, Set<ProxyPolicy>>();
  for (const policy of snapshot.byKind('ProxyPolicy')) {
    for (const target of targetsOf(policy, snapshot)) {
      const key = keyOf(target);
      byTarget.set(key, (byTarget.get(key) ?? new Set()).add(policy));
    }
  }
  return (target) => [...(byTarget.get(keyOf(target)) ?? [])];
}

/** Every target the policy names or selects; a named one need not exist. ATTACH-004, ATTACH-005: its own namespace only. */
export function targetsOf(policy: ProxyPolicy, snapshot: Snapshot): readonly Target[] {
  const namespace = namespaceOf(policy);
  const named = (policy.spec.targetRefs ?? []).map((ref) => ({ ...ref, namespace }));
  const selected = (policy.spec.targetSelectors ?? []).flatMap(({ matchLabels, ...selector }) =>
    (isKindName(selector.kind) ? snapshot.byKind(selector.kind) : [])
      .filter((object) => namespaceOf(object) === namespace && groupOf(object.apiVersion) === selector.group)
      // ATTACH-002: all of the labels, and every resource that has them.
      .filter(({ metadata }) => selects({ matchLabels }, metadata.labels ?? {}))
      .map(({ metadata }) => ({ ...selector, namespace, name: metadata.name })),
  );
  return [...named, ...selected];
}

function keyOf({ group, kind, namespace, name, sectionName, port }: Target): string {
  return `${kind}.${group}/${namespace}/${name}#${sectionName ?? ''}:${port ?? ''}`;
}
