import type { GatewayClass } from '../../resources/gateway-api/gateway-class.ts';
import type { Snapshot } from '../../store/snapshot.ts';
import { conditionOf, CONTROLLER_NAME, type ResourceStatus, statusEntry } from '../conditions.ts';
import { parametersProblem } from './parameters-problem.ts';

/** A class that names this controller is accepted when its parameters can be read; of any other its own controller tells. */
export function gatewayClassStatus(gatewayClass: GatewayClass, snapshot: Snapshot): readonly ResourceStatus[] {
  const { controllerName, parametersRef } = gatewayClass.spec;
  if (controllerName !== CONTROLLER_NAME) return [];
  const { holds, fails } = conditionOf(gatewayClass);
  const problem = parametersProblem(parametersRef, parametersRef?.namespace ?? '', snapshot);
  const accepted =
    problem === undefined
      ? holds('Accepted', 'Accepted', 'Successfully accepted GatewayClass')
      : fails('Accepted', 'InvalidParameters', problem);
  return [statusEntry(gatewayClass, { conditions: [accepted] })];
}
