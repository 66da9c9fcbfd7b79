import type { ConcreteModel } from '../../../attachment/view.ts';
import { perObject } from '../../../base/per-object.ts';
import type { VariableSource } from '../../../cel/program.ts';
import { allows, compileRules } from '../../../policies/traffic/authorization.ts';
import type { Authorization } from '../../../resources/proxy-policy/fields/authorization.ts';

/** MODEL-032: whether the model's rules let this request use it; without rules everybody may. */
export function mayUse({ authorization }: ConcreteModel, variables: VariableSource): boolean {
  return authorization === undefined || allows(rules(authorization), variables);
}

const rules = perObject((authorization: Authorization) => compileRules([authorization]));
