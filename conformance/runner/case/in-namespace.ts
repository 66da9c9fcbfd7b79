import { isList, isObject } from '../values/json.ts';
import type { ConcreteCase } from './concrete-case.ts';

/** The case with everything it says about its namespace and host moved to another namespace. */
export function inNamespace(one: ConcreteCase, namespace: string): ConcreteCase {
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
  const host = one.host.replace(one.namespace, namespace);
  return { ...one, ...replaceWord(moved, one.namespace, namespace), namespace, host };
}

/** The same data with a word changed in every text of it; eight hex digits of a hash are in no text by accident. */
function replaceWord<T>(data: T, from: string, to: string): T;
function replaceWord(data: unknown, from: string, to: string): unknown {
  if (typeof data === 'string') return data.replaceAll(from, to);
  if (isList(data)) return data.map((item) => replaceWord(item, from, to));
  if (!isObject(data)) return data;
  return Object.fromEntries(
    Object.entries(data).map(([name, item]) => [name.replaceAll(from, to), replaceWord(item, from, to)]),
  );
}
