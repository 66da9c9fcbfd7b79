import { selects } from '../../attachment/namespaces.ts';
import type { LabelSelector } from '../../resources/metadata.ts';
import type { ShownObject } from './shown-object.ts';

/** Whether an object is one of those a client asked for. */
export type Selects = (object: ShownObject) => boolean;

/** Reads `labelSelector` and `fieldSelector` of a query; tells what is wrong with them. */
export function selectorOf(query: URLSearchParams): Selects | { readonly refused: string } {
  const labels = labelSelectorOf(query.get('labelSelector') ?? '');
  if ('refused' in labels) return labels;
  const fields = fieldSelectorOf(query.get('fieldSelector') ?? '');
  if ('refused' in fields) return fields;
  return (object) => selects(labels, object.metadata.labels ?? {}) && fields.every((holds) => holds(object));
}

type Expression = NonNullable<LabelSelector['matchExpressions']>[number];

/** One requirement of a label selector, in the order they are tried. */
const REQUIREMENTS: readonly (readonly [RegExp, (key: string, values: string) => Expression])[] = [
  [/^([^\s=!,()]+)\s+in\s+\(([^()]*)\)$/, (key, values) => ({ key, operator: 'In', values: splitList(values) })],
  [/^([^\s=!,()]+)\s+notin\s+\(([^()]*)\)$/, (key, values) => ({ key, operator: 'NotIn', values: splitList(values) })],
  [/^([^\s=!,()]+)\s*!=\s*([^\s=!,()]*)$/, (key, value) => ({ key, operator: 'NotIn', values: [value] })],
  [/^([^\s=!,()]+)\s*==?\s*([^\s=!,()]*)$/, (key, value) => ({ key, operator: 'In', values: [value] })],
  [/^!\s*([^\s=!,()]+)$/, (key) => ({ key, operator: 'DoesNotExist' })],
  [/^([^\s=!,()]+)$/, (key) => ({ key, operator: 'Exists' })],
];

const MAX_SELECTOR = 4096;

function labelSelectorOf(text: string): LabelSelector | { readonly refused: string } {
  if (text.length > MAX_SELECTOR) return { refused: 'labelSelector: too long' };
  const matchExpressions: Expression[] = [];
  // A comma inside parentheses separates values, not requirements.
  for (const part of text.split(/,(?![^(]*\))/).map((each) => each.trim())) {
    if (part === '') continue;
    const found = REQUIREMENTS.flatMap(([pattern, make]) => {
      const match = pattern.exec(part);
      return match === null ? [] : [make(match[1] ?? '', match[2] ?? '')];
    })[0];
    if (found === undefined) return { refused: `labelSelector: cannot understand ${JSON.stringify(part)}` };
    matchExpressions.push(found);
  }
  return { matchExpressions };
}

/** The fields that can be selected by. */
const FIELDS: Readonly<Record<string, (object: ShownObject) => string>> = {
  'metadata.name': ({ metadata }) => metadata.name,
  'metadata.namespace': ({ metadata }) => metadata.namespace ?? '',
};

function fieldSelectorOf(text: string): readonly Selects[] | { readonly refused: string } {
  const holds: Selects[] = [];
  for (const part of text.split(',').map((each) => each.trim())) {
    if (part === '') continue;
    const [, field = '', operator = '', value = ''] = /^([\w.]+)\s*(!=|==?)\s*(.*)$/.exec(part) ?? [];
    const read = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
    if (read === undefined) {
      return { refused: `fieldSelector: only ${Object.keys(FIELDS).join(' and ')} can be selected by, not ${part}` };
    }
    holds.push((object) => (read(object) === value) !== (operator === '!='));
  }
  return holds;
}

function splitList(values: string): string[] {
  return values.split(',').map((value) => value.trim());
}
