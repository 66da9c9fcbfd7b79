import type { ConcreteCase } from '../case/concrete-case.ts';
import { namespaceOf } from '../case/vary.ts';
import { isList, isObject } from '../values/json.ts';
import { fieldName, withoutField, type Field } from './fields.ts';

/** The case with a field taken out of everything the implementation gets; in a namespace of its own, so that many are live at once. */
export function ablatedCase(one: ConcreteCase, field: Field): ConcreteCase {
  const id = `${one.id}~${fieldName(field)}`;
  const namespace = namespaceOf(id);
  const moved = {
    row: one.row,
    topology: one.topology,
    config: one.config,
    peers: one.peers,
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
    alter: (resource) => withoutField(resource, field),
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
