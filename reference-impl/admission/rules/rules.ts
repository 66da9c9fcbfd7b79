import type { Resource } from '../../resources/kinds.ts';
import type { Violation } from '../violation.ts';
import { gatewayRules, listenerSetRules } from './gateway.ts';
import { httpRouteRules } from './http-route.ts';
import { metadataRules } from './metadata.ts';
import { proxyBackendRules } from './proxy-backend.ts';
import { proxyPolicyRules } from './proxy-policy.ts';
import type { Rule } from './row.ts';

/** What the rules of every kind and those of the resource's own find; the schema was satisfied before. */
export function ruleViolations(resource: Resource): Violation[] {
  return [...apply(metadataRules, resource), ...apply(rulesOf<Resource['kind']>(resource.kind), resource)];
}

type OfKind = { readonly [Kind in Resource['kind']]: Extract<Resource, { readonly kind: Kind }> };

/** The schemas of the other kinds say everything there is to say about them alone. */
const RULES: { readonly [Kind in keyof OfKind]?: readonly Rule<OfKind[Kind]>[] } = {
  Gateway: gatewayRules,
  ListenerSet: listenerSetRules,
  HTTPRoute: httpRouteRules,
  ProxyBackend: proxyBackendRules,
  ProxyPolicy: proxyPolicyRules,
};

function rulesOf<Kind extends keyof OfKind>(kind: Kind): readonly Rule<OfKind[Kind]>[] {
  return RULES[kind] ?? [];
}

function apply<Subject>(rules: readonly Rule<Subject>[], subject: Subject): Violation[] {
  return rules.flatMap((rule) => rule(subject));
}
