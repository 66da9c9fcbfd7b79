import type { ConcreteCase } from '../case/concrete-case.ts';
import { inNamespace } from '../case/in-namespace.ts';
import { namespaceOf } from '../case/vary.ts';
import { fieldName, withoutField, withValue, type Field } from './fields.ts';

/** How a field is ablated: taken out, or given the value that holds without it. */
export type Way = { readonly how: 'removed' } | { readonly how: 'reset'; readonly to: unknown };

/** The case with a field ablated in everything the implementation gets; in a namespace of its own, so that many are live at once. */
export function ablatedCase(one: ConcreteCase, field: Field, way: Way): ConcreteCase {
  const id = `${one.id}~${fieldName(field)} ${way.how}`;
  return {
    ...inNamespace(one, namespaceOf(id)),
    id,
    alter: (resource) => (way.how === 'removed' ? withoutField(resource, field) : withValue(resource, field, way.to)),
  };
}
