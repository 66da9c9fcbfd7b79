import { namespaceOf } from '../../resources/envelope.ts';
import type { ReferenceGrant } from '../../resources/gateway-api/reference-grant.ts';
import type { Target } from '../policies/targets.ts';
import type { Referrer } from './resolved-backend.ts';

/** Whether the referrer may name the target: one of its own namespace, or one that a ReferenceGrant there lets it name. */
export function isPermitted(grants: readonly ReferenceGrant[], from: Referrer, target: Target): boolean {
  return target.namespace === from.namespace || grants.some((grant) => permits(grant, from, target));
}

function permits(grant: ReferenceGrant, from: Referrer, target: Target): boolean {
  return (
    namespaceOf(grant) === target.namespace &&
    grant.spec.from.some(
      ({ group, kind, namespace }) => group === from.group && kind === from.kind && namespace === from.namespace,
    ) &&
    grant.spec.to.some(
      ({ group, kind, name }) =>
        group === target.group && kind === target.kind && (name ?? target.name) === target.name,
    )
  );
}
