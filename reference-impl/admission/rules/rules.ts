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
  return [...apply(metadataRules, resource), ...kindViolations(resource)];
}

function kindViolations(resource: Resource): Violation[] {
  switch (resource.kind) {
    case 'Gateway':
      return apply(gatewayRules, resource);
    case 'ListenerSet':
      return apply(listenerSetRules, resource);
    case 'HTTPRoute':
      return apply(httpRouteRules, resource);
    case 'ProxyBackend':
      return apply(proxyBackendRules, resource);
    case 'ProxyPolicy':
      return apply(proxyPolicyRules, resource);
    // Their schemas say everything there is to say about them alone.
    case 'ProxyModel':
    case 'ProxyParameters':
    case 'GatewayClass':
    case 'ReferenceGrant':
    case 'Service':
    case 'EndpointSlice':
    case 'Pod':
    case 'InferencePool':
    case 'Secret':
    case 'ConfigMap':
    case 'Namespace':
    default:
      return [];
  }
}

function apply<Subject>(rules: readonly Rule<Subject>[], subject: Subject): Violation[] {
  return rules.flatMap((rule) => rule(subject));
}
