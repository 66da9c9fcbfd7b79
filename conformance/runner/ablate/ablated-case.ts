import type { ConcreteCase } from '../case/concrete-case.ts';
import { inNamespace } from '../case/in-namespace.ts';
import { namespaceOf } from '../case/vary.ts';
import type { JsonObject } from '../values/json.ts';
import { fieldName, withoutField, withResult, withValue, type Field } from './fields.ts';
import { falsify, type OperatorName } from './operators.ts';

/** How a field is ablated: taken out, given the value that holds without it, or falsified a little. */
export type Way =
  | { readonly how: 'removed' }
  | { readonly how: 'reset'; readonly to: unknown }
  | { readonly how: OperatorName };

/** The case with a field ablated in everything the implementation gets; in a namespace of its own, so that many are live at once. */
export function ablatedCase(one: ConcreteCase, field: Field, way: Way): ConcreteCase {
  const id = `${one.id}~${fieldName(field)} ${way.how}`;
  return {
    ...inNamespace(one, namespaceOf(id)),
    id,
    alter: (resource) => ablate(resource, field, way),
  };
}

function ablate(resource: JsonObject, field: Field, way: Way): JsonObject {
  if (way.how === 'removed') return withoutField(resource, field);
  if (way.how === 'reset') return withValue(resource, field, way.to);
  return withResult(resource, field, (value) => falsify(value, way.how) ?? value);
}
