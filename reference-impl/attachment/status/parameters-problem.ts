import { PROXY_API_GROUP } from '../../resources/envelope.ts';
import type { Snapshot } from '../../store/snapshot.ts';

interface ParametersReference {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** Why nothing can be provisioned with these parameters; undefined when they can be read, or none are named. */
export function parametersProblem(
  reference: ParametersReference | undefined,
  namespace: string,
  snapshot: Snapshot,
): string | undefined {
  if (reference === undefined) return undefined;
  const { group, kind, name } = reference;
  if (group !== PROXY_API_GROUP || kind !== 'ProxyParameters')
    return `parametersRef is to a ProxyParameters of ${PROXY_API_GROUP}, not to a ${kind} of ${JSON.stringify(group)}`;
  return snapshot.get('ProxyParameters', namespace, name) === undefined
    ? `there is no ProxyParameters ${namespace}/${name}`
    : undefined;
}
