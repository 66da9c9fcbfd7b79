import type { Validation } from '../notes.ts';
import { BEFORE_ROUTING, type Part, TARGET_KINDS } from './target-kinds.ts';

/** The rules over targets for `x-kubernetes-validations`; admission has them with the path of each target. */
export const LIST_OF_TARGETS: readonly Validation[] = [
  {
    rule: `self.all(target, [target.group, target.kind] in [${TARGET_KINDS.map(({ group, kind }) => `['${group}', '${kind}']`).join(', ')}])`,
    message: 'policies target a Gateway, ListenerSet, HTTPRoute, GRPCRoute, Service, ProxyBackend or InferencePool',
  },
  {
    rule: 'self.all(target, target.kind == self[0].kind)',
    message: 'all targets of a policy must be of one kind',
  },
];

/** On the spec of a policy. */
export const TARGETS_OF_PARTS: readonly Validation[] = [
  {
    rule: `(${targets(`!has(target.port)`)}) || (has(self.frontend) && !has(self.traffic) && !has(self.backend) && ${targets(`target.kind == 'Gateway'`)})`,
    message: 'port is for frontend policies that target a Gateway',
  },
  {
    rule: `!has(self.frontend) || (${targets(`target.kind == 'Gateway' && !has(target.sectionName)`)})`,
    message: 'a frontend policy targets a whole Gateway, not a listener',
  },
  {
    rule: `!has(self.traffic) || (${targets(`target.kind in [${kindsFor('traffic')}]`)})`,
    message: 'a traffic policy targets a Gateway, ListenerSet or Route',
  },
  {
    rule: '!has(self.strategy) || !has(self.strategy.inheritance) || (has(self.traffic) && !has(self.frontend) && !has(self.backend))',
    message: 'strategy.inheritance is for policies with traffic alone',
  },
  {
    rule: `!has(self.traffic) || !has(self.traffic.phase) || self.traffic.phase != 'PreRouting' || (${targets(`target.kind in ['Gateway', 'ListenerSet']`)})`,
    message: 'phase PreRouting needs a Gateway or a listener as target',
  },
  {
    rule: '!has(self.traffic) || !has(self.traffic.jwtAuthentication) || !has(self.backend) || !has(self.backend.mcp) || !has(self.backend.mcp.authentication)',
    message: 'backend.mcp.authentication cannot stand beside traffic.jwtAuthentication',
  },
  {
    rule: `!has(self.backend) || !has(self.backend.ai) || (${targets(`target.kind != 'Service'`)})`,
    message: 'ai policies are for backends of type ai, not for a Service',
  },
  {
    rule: `!has(self.backend) || !has(self.backend.mcp) || (${targets(`target.kind != 'Service' && (target.kind != 'ProxyBackend' || !has(target.sectionName))`)})`,
    message: 'mcp policies are for whole backends of type mcp',
  },
];

/** On the traffic part, given the names of its fields. */
export function beforeRouting(fields: readonly string[]): Validation {
  const late = fields.filter((field) => !BEFORE_ROUTING.has(field)).map((field) => `!has(self.${field})`);
  return {
    rule: `!has(self.phase) || self.phase != 'PreRouting' || (${late.join(' && ')})`,
    message: `phase PreRouting allows only ${[...BEFORE_ROUTING].filter((field) => field !== 'phase').join(', ')}`,
  };
}

/** What must hold for every target, whichever list it stands in. */
function targets(holds: string): string {
  return ['targetRefs', 'targetSelectors']
    .map((list) => `(!has(self.${list}) || self.${list}.all(target, ${holds}))`)
    .join(' && ');
}

function kindsFor(part: Part): string {
  return TARGET_KINDS.filter(({ parts }) => parts.includes(part))
    .map(({ kind }) => `'${kind}'`)
    .join(', ');
}
