import { namespaceOf } from '../resources/envelope.ts';
import type { ProxyModel } from '../resources/proxy-model/model.ts';
import { type Condition, CONTROLLER_NAME, conditionOf, type ResourceStatus, statusEntry } from './conditions.ts';
import type { Links } from './links.ts';
import { acceptance } from './route-status.ts';

/** LIMIT-024: per parentRef, whether the model hangs on it, and whether every model it routes to can be asked for. */
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
  const problems = targetsOf(model).flatMap((target) => targetProblems(target, namespaceOf(model), links));
  return problems.length === 0
    ? holds('ResolvedRefs', 'ResolvedRefs', 'Successfully resolved all references')
    : fails('ResolvedRefs', 'Invalid', [...new Set(problems)].join('; '));
}

interface Target {
  readonly modelRef: { readonly name: string };
  readonly model?: string;
  /** Failover goes to providers: a virtual model has no health of its own. */
  readonly isFailover: boolean;
}

function targetsOf({ spec: { virtualModel } }: ProxyModel): readonly Target[] {
  if (virtualModel === undefined) return [];
  const { weighted, conditional, failover } = virtualModel;
  return [
    ...[...(weighted?.targets ?? []), ...(conditional?.targets ?? [])].map((each) => ({ ...each, isFailover: false })),
    ...(failover?.targets ?? []).map((each) => ({ ...each, isFailover: true })),
  ];
}

function targetProblems({ modelRef, model, isFailover }: Target, namespace: string, { snapshot }: Links): string[] {
  const found = snapshot.get('ProxyModel', namespace, modelRef.name);
  if (found === undefined) return [`there is no ProxyModel ${namespace}/${modelRef.name}`];
  const pattern = found.spec.match?.model ?? found.metadata.name;
  return [
    // ADMIT-051: nobody can be asked for a name with a wildcard.
    ...(model === undefined && pattern.includes('*')
      ? [`ProxyModel ${modelRef.name} matches ${pattern}, so the target must set model`]
      : []),
    ...(isFailover && found.spec.virtualModel !== undefined
      ? [`failover goes to models with a provider, and ProxyModel ${modelRef.name} has none`]
      : []),
  ];
}
