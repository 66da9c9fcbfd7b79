import type { Authorization } from '../resources/proxy-policy/fields/authorization.ts';
import type { EffectiveFrontend } from './policies/effective-policy.ts';

/**
 * What is said about the connections of a port. It holds before anybody can know which listener, and so which Gateway, a connection
 * is for. docs/decisions/front-door.md
 */
export interface PortFrontend extends Omit<EffectiveFrontend, 'networkAuthorization' | 'sources'> {
  /** The rules of each Gateway that has some. */
  readonly networkAuthorization: readonly (readonly Authorization[])[];
}

/** Of Gateways that share a port the first that says something about a field counts; all of them must let a connection in. */
export function portFrontend(frontends: readonly EffectiveFrontend[]): PortFrontend {
  const distinct = [...new Set(frontends)];
  const rules = distinct.map(({ networkAuthorization }) => networkAuthorization).filter((each) => each !== undefined);
  return distinct.reduceRight<PortFrontend>(
    (later, first) => {
      const { sources: _, ...fields } = first;
      return { ...later, ...fields, networkAuthorization: rules };
    },
    { networkAuthorization: rules },
  );
}
