import { namespaceOf, PROXY_API_GROUP } from '../../resources/envelope.ts';
import type { ProxyModel } from '../../resources/proxy-model/model.ts';
import { backendOf } from '../../resources/references.ts';
import { type Condition, CONTROLLER_NAME, conditionOf, type ResourceStatus, statusEntry } from '../conditions.ts';
import type { Links } from '../links.ts';
import type { UnresolvedReference } from '../backends/resolved-backend.ts';
import { acceptance } from './route-status.ts';

/**
 * LIMIT-024: per parentRef, whether the model hangs on it, and whether every model it routes to can be asked for.
 * docs/decisions/model-status.md
 */
export function modelStatus(model: ProxyModel, links: Links): ResourceStatus {
  const resolved = resolvedRefs(model, links);
  const parents = model.spec.parentRefs.map((ref) => ({
    parentRef: ref,
    controllerName: CONTROLLER_NAME,
    conditions: [acceptance(model, links.attachmentOf(ref, model), 'ProxyModel'), resolved],
  }));
  return statusEntry(model, { parents });
}

function resolvedRefs(model: ProxyModel, links: Links): Condition {
  const { holds, fails } = conditionOf(model);
  const lost = lostBackend(model, links);
  if (lost !== undefined) return fails('ResolvedRefs', lost.reason, lost.message);
  const problems = targetsOf(model).flatMap((target) => targetProblems(target, namespaceOf(model), links));
  return problems.length === 0
    ? holds('ResolvedRefs', 'ResolvedRefs', 'Successfully resolved all references')
    : fails('ResolvedRefs', 'Invalid', [...new Set(problems)].join('; '));
}

/** MODEL-038: the Service or InferencePool behind a provider of one's own, when it is not there. */
function lostBackend(model: ProxyModel, { resolve }: Links): UnresolvedReference | undefined {
  const ref = model.spec.custom?.backendRef;
  // The address of baseURL is taken before it.
  if (ref === undefined || model.spec.baseURL !== undefined) return undefined;
  const from = { group: PROXY_API_GROUP, kind: model.kind, namespace: namespaceOf(model) };
  const resolved = resolve(from, backendOf(ref));
  return 'unresolved' in resolved ? resolved : undefined;
}

interface Target {
  readonly modelRef: { readonly name: string };
  readonly model?: string;
}

function targetsOf({ spec: { virtualModel } }: ProxyModel): readonly Target[] {
  const { weighted, conditional, failover } = virtualModel ?? {};
  return [...(weighted?.targets ?? []), ...(conditional?.targets ?? []), ...(failover?.targets ?? [])];
}

function targetProblems({ modelRef, model }: Target, namespace: string, { snapshot }: Links): string[] {
  const found = snapshot.get('ProxyModel', namespace, modelRef.name);
  if (found === undefined) return [`there is no ProxyModel ${namespace}/${modelRef.name}`];
  const pattern = found.spec.match?.model ?? found.metadata.name;
  return [
    // ADMIT-051: nobody can be asked for a name with a wildcard.
    ...(model === undefined && pattern.includes('*')
      ? [`ProxyModel ${modelRef.name} matches ${pattern}, so the target must set model`]
      : []),
    // CFG 11: virtual models route among those with a provider.
    ...(found.spec.virtualModel === undefined ? [] : [`ProxyModel ${modelRef.name} is virtual itself`]),
  ];
}
