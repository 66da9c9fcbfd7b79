import { compileOrFail, type Program, type VariableSource } from '../cel/compile.ts';
import { isTimeValue } from '../cel/values.ts';
import type { LogTracingAttributes } from '../resources/proxy-policy/fields/telemetry-attributes.ts';

/** Text, number, boolean, bytes, list or map; never null or undefined. */
export type AttributeValue = string | number | boolean | bigint | object;
export type Attribute = readonly [name: string, value: AttributeValue];

/** Attributes to leave out and to add, compiled. */
export interface AttributeEdits {
  readonly removed: ReadonlySet<string>;
  readonly added: readonly AddedAttribute[];
}

export interface AddedAttribute {
  readonly name: string;
  readonly program: Program;
}

/** Compiles what the policy says; an expression that cannot be compiled fails whenever it is evaluated. */
export function compileAttributes({ remove = [], add = [] }: LogTracingAttributes = {}): AttributeEdits {
  return { removed: new Set(remove), added: compileAdded(add) };
}

/** The same for a list of attributes by expression. */
export function compileAdded(
  add: readonly { readonly name: string; readonly expression: string }[],
): readonly AddedAttribute[] {
  return add.map(({ name, expression }) => ({ name, program: compileOrFail(expression) }));
}

/**
 * LOG-003, LOG-004, OTEL-005: the attributes without those that are removed, and with those that are added; an added one
 * takes the place of one of its name. LOG-005, OTEL-022: one whose expression fails, or has no value, is left out.
 */
export function editAttributes(
  attributes: readonly Attribute[],
  edits: AttributeEdits,
  variables: VariableSource,
): readonly Attribute[] {
  if (!isEdited(edits)) return attributes;
  const { removed, added } = edits;
  const edited = new Map(removed.size === 0 ? attributes : attributes.filter(([name]) => !removed.has(name)));
  for (const [name, value] of evaluateAdded(added, variables)) edited.set(name, value);
  return [...edited];
}

/** Whether they change anything. */
export function isEdited({ removed, added }: AttributeEdits): boolean {
  return removed.size > 0 || added.length > 0;
}

/** The attributes that have a value. */
export function evaluateAdded(added: readonly AddedAttribute[], variables: VariableSource): readonly Attribute[] {
  return added.flatMap(({ name, program }): Attribute[] => {
    const evaluation = program.evaluate(variables);
    const value = evaluation.ok ? attributeValue(evaluation.value) : undefined;
    return value === undefined ? [] : [[name, value]];
  });
}

function attributeValue(value: unknown): AttributeValue | undefined {
  if (value === null || value === undefined || typeof value === 'symbol' || typeof value === 'function')
    return undefined;
  return isTimeValue(value) ? value.toJSON() : value;
}
