import { expressionsIn } from '../../admission/expressions.ts';
import { translationProblems } from '../../admission/translation.ts';
import { pathText } from '../../admission/violation.ts';
import { perObject } from '../../base/per-object.ts';
import { compile } from '../../cel/compile.ts';
import { PROXY_API_GROUP } from '../../resources/envelope.ts';
import { GATEWAY_API_GROUP } from '../../resources/gateway-api/gateway-api.ts';
import type { Gateway } from '../../resources/gateway-api/gateway.ts';
import { KINDS } from '../../resources/kinds.ts';
import type { ProxyPolicy } from '../../resources/proxy-policy/policy.ts';
import { ancestorsOf, type Ancestors } from './ancestors.ts';
import { type Condition, CONTROLLER_NAME, conditionOf, type ResourceStatus, statusEntry } from '../conditions.ts';
import type { Links } from '../links.ts';
import { targetsOf } from '../policies/targets.ts';

/** ATTACH-018: per policy, one ancestor for every Gateway its targets belong to. */
export function policyStatuses(links: Links): readonly ResourceStatus[] {
  const ancestors = ancestorsOf(links);
  return links.snapshot.byKind('ProxyPolicy').map((policy) => policyStatus(policy, links, ancestors));
}

/** The pseudo ancestor for targets that belong to no Gateway, and for what does not fit into the list. */
const SUMMARY = { group: PROXY_API_GROUP, name: 'StatusSummary' };
const MAX_ANCESTORS = 16;

interface AncestorStatus {
  readonly ancestorRef: object;
  readonly controllerName: string;
  readonly conditions: readonly Condition[];
}

function policyStatus(policy: ProxyPolicy, links: Links, ancestors: Ancestors): ResourceStatus {
  const found = targetsOf(policy, links.snapshot).map((target) => ancestors(target));
  const gateways = new Set(found.flatMap((each) => each.gateways));
  const missing = found.flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
  const nothing = found.length === 0 ? [nothingSelected(policy)] : [];
  const attached = [...gateways].map((gateway) => ancestorStatus(policy, refOf(gateway), undefined));
  const summary = [...missing, ...nothing];
  const all =
    summary.length === 0 ? attached : [...attached, ancestorStatus(policy, SUMMARY, [...new Set(summary)].join('; '))];
  return statusEntry(policy, { ancestors: keepWithinLimit(policy, sortByName(all)) });
}

function refOf(gateway: Gateway): object {
  const { namespace = '', name } = gateway.metadata;
  return { group: GATEWAY_API_GROUP, kind: 'Gateway', namespace, name };
}

function ancestorStatus(policy: ProxyPolicy, ancestorRef: object, problem: string | undefined): AncestorStatus {
  const { holds, fails } = conditionOf(policy);
  const attached =
    problem === undefined
      ? holds('Attached', 'Attached', 'Attached to all targets')
      : fails('Attached', 'Pending', `Policy is not attached: ${problem}`);
  return { ancestorRef, controllerName: CONTROLLER_NAME, conditions: [acceptedCondition(policy), attached] };
}

/** A bad expression does not reject the policy: the expression always fails, and the rest is in force. So it is with reserved claims. */
function acceptedCondition(policy: ProxyPolicy): Condition {
  const { holds } = conditionOf(policy);
  const problems = problemsOf(policy);
  return problems.length === 0
    ? holds('Accepted', 'Valid', 'Policy accepted')
    : holds('Accepted', 'PartiallyValid', problems.join('; '));
}

const problemsOf = perObject((policy: ProxyPolicy): readonly string[] => [
  // ADMIT-141
  ...translationProblems(KINDS.ProxyPolicy.schema, policy).map(
    ({ path, message }) => `${pathText(path.slice(1))}: ${message}`,
  ),
  ...expressionsIn(KINDS.ProxyPolicy.schema, policy).flatMap(({ path, text }) => {
    const compiled = compile(text);
    if (compiled.ok) return [];
    return [`${pathText(path.slice(1))} is not a valid CEL expression: ${compiled.error.message}`];
  }),
]);

function nothingSelected(policy: ProxyPolicy): string {
  const kinds = [...new Set((policy.spec.targetSelectors ?? []).map(({ kind }) => kind))].join(', ');
  return `no ${kinds} matching selector found in namespace ${policy.metadata.namespace ?? ''}`;
}

function sortByName(ancestors: readonly AncestorStatus[]): readonly AncestorStatus[] {
  return ancestors.toSorted((one, other) =>
    JSON.stringify(one.ancestorRef) < JSON.stringify(other.ancestorRef) ? -1 : 1,
  );
}

/** The list of a status is short; its last entry then says how many there were. */
function keepWithinLimit(policy: ProxyPolicy, ancestors: readonly AncestorStatus[]): readonly AncestorStatus[] {
  if (ancestors.length <= MAX_ANCESTORS) return ancestors;
  const kept = ancestors.slice(0, MAX_ANCESTORS - 1);
  const message = `${ancestors.length - kept.length} ancestors are left out`;
  const summarized = conditionOf(policy).holds('StatusSummarized', 'StatusSummarized', message);
  return [...kept, { ancestorRef: SUMMARY, controllerName: CONTROLLER_NAME, conditions: [summarized] }];
}
