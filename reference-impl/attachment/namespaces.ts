import type { LabelSelector } from '../resources/metadata.ts';
import type { Snapshot } from '../store/snapshot.ts';

/** The labels of a namespace; a namespace without an object of its own has its name as only label. */
export type NamespaceLabels = (namespace: string) => Readonly<Record<string, string>>;

export function namespaceLabels(snapshot: Snapshot): NamespaceLabels {
  const labels = new Map(snapshot.byKind('Namespace').map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
  return (namespace) => ({ ...labels.get(namespace), 'kubernetes.io/metadata.name': namespace });
}

/** What `namespaces.from` of a listener or Gateway admits; `own` is the namespace of that object. */
export interface AdmittedNamespaces {
  readonly from: 'All' | 'Same' | 'Selector' | 'None';
  readonly selector: LabelSelector | undefined;
  readonly own: string;
}

export function admitsNamespace(admitted: AdmittedNamespaces, namespace: string, labels: NamespaceLabels): boolean {
  return ADMITS[admitted.from](admitted, namespace, labels);
}

const ADMITS: Readonly<Record<AdmittedNamespaces['from'], typeof admitsNamespace>> = {
  All: () => true,
  None: () => false,
  Same: ({ own }, namespace) => namespace === own,
  Selector: ({ selector }, namespace, labels) => selector !== undefined && selects(selector, labels(namespace)),
};

/** Whether the labels satisfy every part of the selector; an empty selector selects everything. */
export function selects(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  const named = Object.entries(selector.matchLabels ?? {}).every(([name, value]) => labels[name] === value);
  return named && (selector.matchExpressions ?? []).every((expression) => holds(expression, labels));
}

type Expression = NonNullable<LabelSelector['matchExpressions']>[number];

function holds({ key, operator, values = [] }: Expression, labels: Readonly<Record<string, string>>): boolean {
  return OPERATORS[operator](Object.hasOwn(labels, key) ? labels[key] : undefined, values);
}

const OPERATORS: Readonly<Record<Expression['operator'], (value: string | undefined, values: string[]) => boolean>> = {
  Exists: (value) => value !== undefined,
  DoesNotExist: (value) => value === undefined,
  In: (value, values) => value !== undefined && values.includes(value),
  NotIn: (value, values) => value === undefined || !values.includes(value),
};
