import type { ProxyPolicy } from '../../resources/proxy-policy/policy.ts';
import { BEFORE_ROUTING, type Part } from '../../resources/proxy-policy/target-kinds.ts';
import type { Path } from '../violation.ts';
import { allows, describe, isGateway, isListener, sameKind, type Target, targetKindOf } from './policy-target.ts';
import { each, present, row, type Rule } from './row.ts';

/** What may be said about which targets. */
export const proxyPolicyRules: readonly Rule<ProxyPolicy>[] = [
  row(
    'ATTACH-001',
    targetsOf,
    (target) => targetKindOf(target) !== undefined,
    (target) => `policies cannot target ${describe(target)}`,
  ),
  // docs/decisions/policy-targets.md
  row(
    '',
    targetsOf,
    (target, policy) => sameKind(target, targetsOf(policy)[0]?.[1]),
    'all targets of a policy must be of one kind',
  ),

  row(
    'ADMIT-067',
    portsOf,
    (target, policy) => isGateway(target) && !setsPart(policy, 'traffic') && !setsPart(policy, 'backend'),
    'port is for frontend policies that target a Gateway',
  ),
  row(
    'ADMIT-072',
    frontendTargets,
    (target) => !isListener(target),
    'a frontend policy targets a whole Gateway, not a listener',
  ),
  row(
    'ADMIT-073',
    frontendTargets,
    (target) => isListener(target) || allows(target, 'frontend'),
    (target) => `a frontend policy targets a Gateway, not a ${target.kind}`,
  ),
  row(
    'ADMIT-074',
    trafficTargets,
    (target) => allows(target, 'traffic'),
    (target) => `a traffic policy targets a Gateway, ListenerSet or Route, not a ${target.kind}`,
  ),

  row(
    'ADMIT-071',
    inheritanceOf,
    (_, policy) => setsPart(policy, 'traffic') && !setsPart(policy, 'frontend') && !setsPart(policy, 'backend'),
    'strategy.inheritance is for policies with traffic alone',
  ),
  row(
    'ADMIT-086',
    preRoutingTargets,
    (target) => target.kind === 'Gateway' || target.kind === 'ListenerSet',
    'phase PreRouting needs a Gateway or a listener as target',
  ),
  // docs/decisions/policy-order.md
  row(
    '',
    preRoutingFields,
    (name) => BEFORE_ROUTING.has(name),
    (name) => `${name} cannot run in phase PreRouting`,
  ),

  // docs/decisions/mcp-oauth.md
  row(
    '',
    mcpAuthenticationOf,
    (_, policy) => policy.spec.traffic?.jwtAuthentication === undefined,
    'authentication cannot stand beside traffic.jwtAuthentication',
  ),
  row(
    'ADMIT-153',
    aiOf,
    (_, policy) => !targetsService(policy),
    'ai policies are for backends of type ai, not for a Service',
  ),
  row(
    'ADMIT-153',
    mcpOf,
    (_, policy) => !targetsService(policy),
    'mcp policies are for backends of type mcp, not for a Service',
  ),
  row(
    'ADMIT-153',
    mcpOf,
    (_, policy) =>
      !targetsOf(policy).some(([, { kind, sectionName }]) => kind === 'ProxyBackend' && sectionName !== undefined),
    'mcp policies are for whole backends of type mcp, not for a part of one',
  ),
];

type Located<Item> = (readonly [Path, Item])[];

function targetsOf({ spec }: ProxyPolicy): Located<Target> {
  return [
    ...each<Target>(['spec', 'targetRefs'], spec.targetRefs),
    ...each<Target>(['spec', 'targetSelectors'], spec.targetSelectors),
  ];
}

function portsOf(policy: ProxyPolicy): Located<Target> {
  return targetsOf(policy).filter(([, target]) => target.port !== undefined);
}

/** Targets of an unknown kind have a violation of their own. */
function frontendTargets(policy: ProxyPolicy): Located<Target> {
  return setsPart(policy, 'frontend')
    ? targetsOf(policy).filter(([, target]) => targetKindOf(target) !== undefined)
    : [];
}

function trafficTargets(policy: ProxyPolicy): Located<Target> {
  return setsPart(policy, 'traffic')
    ? targetsOf(policy).filter(([, target]) => targetKindOf(target) !== undefined)
    : [];
}

function preRoutingTargets(policy: ProxyPolicy): Located<Target> {
  return policy.spec.traffic?.phase === 'PreRouting' ? targetsOf(policy) : [];
}

function preRoutingFields({ spec }: ProxyPolicy): Located<string> {
  if (spec.traffic?.phase !== 'PreRouting') return [];
  return Object.keys(spec.traffic).map((name) => [['spec', 'traffic', name], name]);
}

function inheritanceOf({ spec }: ProxyPolicy): Located<string> {
  return present(['spec', 'strategy', 'inheritance'], spec.strategy?.inheritance);
}

function mcpAuthenticationOf({ spec }: ProxyPolicy): Located<object> {
  return present(['spec', 'backend', 'mcp', 'authentication'], spec.backend?.mcp?.authentication);
}

function aiOf({ spec }: ProxyPolicy): Located<object> {
  return present(['spec', 'backend', 'ai'], spec.backend?.ai);
}

function mcpOf({ spec }: ProxyPolicy): Located<object> {
  return present(['spec', 'backend', 'mcp'], spec.backend?.mcp);
}

function setsPart(policy: ProxyPolicy, part: Part): boolean {
  return policy.spec[part] !== undefined;
}

function targetsService(policy: ProxyPolicy): boolean {
  return targetsOf(policy).some(([, target]) => target.kind === 'Service');
}
