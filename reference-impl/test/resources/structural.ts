import { compile } from '../../cel/compile.ts';
import { isTrue } from '../../cel/results.ts';
import { isFields } from '../../resources/groups.ts';

export type Node = Readonly<Record<string, unknown>>;

/** Every node of a structural schema, with its path. */
export function* nodesOf(node: Node, path = ''): Generator<readonly [string, Node]> {
  yield [path, node];
  for (const [name, inner] of membersOf(node)) yield* nodesOf(inner, `${path}.${name}`);
}

export function rulesOf(node: Node): readonly { readonly rule: string; readonly message: string }[] {
  const rules: unknown = node['x-kubernetes-validations'];
  return Array.isArray(rules)
    ? rules.map((one) => ({ rule: String(membersIn(one)['rule']), message: String(membersIn(one)['message']) }))
    : [];
}

/** The rules of a schema that a value breaks, as an API server evaluates them: at every node that has a value. */
export function brokenRules(node: Node, value: unknown, path = ''): string[] {
  if (value === undefined) return [];
  const own = rulesOf(node)
    .filter(({ rule }) => !holds(rule, value))
    .map(({ message }) => `${path}: ${message}`);
  if (typeof value !== 'object' || value === null) return own;
  const inner = Array.isArray(value)
    ? value.flatMap((item: unknown, index) => brokenRules(membersIn(node['items']), item, `${path}[${index}]`))
    : Object.entries(value).flatMap(([name, member]) => brokenRules(memberOf(node, name), member, `${path}.${name}`));
  return [...own, ...inner];
}

function holds(rule: string, value: unknown): boolean {
  const compiled = compile(rule.replaceAll(/\bself\b/g, 'metadata'));
  if (!compiled.ok) throw new Error(`${rule}: ${compiled.error.message}`);
  return isTrue(compiled.program.evaluate(() => value));
}

function memberOf(node: Node, name: string): Node {
  const properties: Node = membersIn(node['properties']);
  return membersIn(Object.hasOwn(properties, name) ? properties[name] : node['additionalProperties']);
}

function membersOf(node: Node): (readonly [string, Node])[] {
  const properties = Object.entries(membersIn(node['properties'])).map(([name, inner]): readonly [string, Node] => [
    name,
    membersIn(inner),
  ]);
  const others = ['items', 'additionalProperties'].flatMap((name) =>
    typeof node[name] === 'object' && node[name] !== null ? [[name, membersIn(node[name])] as const] : [],
  );
  return [...properties, ...others];
}

/** The members of an object; of anything else, none. */
export function membersIn(value: unknown): Node {
  return isFields(value) ? value : {};
}
