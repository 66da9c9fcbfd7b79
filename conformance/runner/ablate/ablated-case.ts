import type { ConcreteCase } from '../case/concrete-case.ts';
import { namespaceOf } from '../case/vary.ts';
import { isList, isObject } from '../values/json.ts';
import { fieldName, withoutField, withValue, type Field } from './fields.ts';

/** How a field is ablated: taken out, or given the value that holds without it. */
export type Way = { readonly how: 'removed' } | { readonly how: 'reset'; readonly to: unknown };

/** The case with a field ablated in everything the implementation gets; in a namespace of its own, so that many are live at once. */
export function ablatedCase(one: ConcreteCase, field: Field, way: Way): ConcreteCase {
  const id = `${one.id}~${fieldName(field)} ${way.how}`;
  const namespace = namespaceOf(id);
  const moved = {
    row: one.row,
    topology: one.topology,
    config: one.config,
    peers: one.peers,
    ...(one.tokens === undefined ? {} : { tokens: one.tokens }),
    steps: one.steps,
    expect: one.expect,
    witness: one.witness,
  };
  return {
    ...one,
    ...replaced(moved, one.namespace, namespace),
    id,
    namespace,
    host: one.host.replace(one.namespace, namespace),
    alter: (resource) => (way.how === 'removed' ? withoutField(resource, field) : withValue(resource, field, way.to)),
  };
}

/** The same data with a word changed in every text of it; eight hex digits of a hash are in no text by accident. */
function replaced<T>(data: T, from: string, to: string): T;
function replaced(data: unknown, from: string, to: string): unknown {
  if (typeof data === 'string') return data.replaceAll(from, to);
  if (isList(data)) return data.map((item) => replaced(item, from, to));
  if (!isObject(data)) return data;
  return Object.fromEntries(
    Object.entries(data).map(([name, item]) => [name.replaceAll(from, to), replaced(item, from, to)]),
  );
}
