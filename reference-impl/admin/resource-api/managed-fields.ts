import { type Clock, rfc3339 } from '../../base/clock.ts';
import { type Fields, isFields } from '../../resources/groups.ts';
import type { KindName } from '../../resources/kinds.ts';
import { entry, type FieldPath, type FieldSet, fieldsOf, ownable, sameAt } from './field-paths.ts';

/** Who set which fields, as `metadata.managedFields` records it. */
export interface Manager {
  readonly manager: string;
  readonly operation: Operation;
  readonly apiVersion: string;
  readonly time: string;
  readonly fields: FieldSet;
}

export type Operation = 'Apply' | 'Update';

/** The managers an object names; entries that are not understood are left out. */
export function managersOf(object: unknown): readonly Manager[] {
  return managedFieldsIn(object).flatMap((value) => {
    if (!isFields(value)) return [];
    const { manager, operation, apiVersion, time, fieldsV1 } = value;
    if (typeof manager !== 'string' || (operation !== 'Apply' && operation !== 'Update')) return [];
    const fields = new Map(pathsIn(fieldsV1, []).map(entry));
    return fields.size === 0
      ? []
      : [{ manager, operation, apiVersion: textOf(apiVersion), time: textOf(time), fields }];
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The entries for `metadata.managedFields`. */
export function managedFieldsOf(managers: readonly Manager[]): readonly object[] {
  return managers.flatMap(({ manager, operation, apiVersion, time, fields }) => {
    if (fields.size === 0) return [];
    return [{ manager, operation, apiVersion, time, fieldsType: 'FieldsV1', fieldsV1: treeOf([...fields.values()]) }];
  });
}

/**
 * The managers after `manager` wrote `after` over `before`: what it changed is its own from now on, and what is gone is
 * nobody's. `known` are the managers so far.
 */
export function managersAfterUpdate(
  kind: KindName,
  known: readonly Manager[],
  { before, after }: { readonly before: Fields; readonly after: Fields },
  writer: { readonly manager: string; readonly apiVersion: string; readonly clock: Pick<Clock, 'wall'> },
): readonly Manager[] {
  const [old, next] = [ownable(before), ownable(after)];
  const fields = fieldsOf(kind, next);
  const changed = new Map([...fields].filter(([, path]) => !sameAt(kind, old, next, path)));
  const gone = new Map([...fieldsOf(kind, old)].filter(([key]) => !fields.has(key)));
  if (changed.size === 0 && gone.size === 0) return known;

  const isWriter = (each: Manager): boolean => each.operation === 'Update' && each.manager === writer.manager;
  const others = known.filter((each) => !isWriter(each)).map((each) => lacking(each, changed, gone));
  const own = known.find(isWriter)?.fields ?? new Map<string, FieldPath>();
  const owned = without(new Map([...own, ...changed]), gone);
  const { manager, apiVersion, clock } = writer;
  return [...others, { manager, operation: 'Update', apiVersion, time: managerTime(clock), fields: owned }];
}

/** Whole seconds, as other servers write them. */
export function managerTime(clock: Pick<Clock, 'wall'>): string {
  return rfc3339(clock.wall()).replace(/\.\d+Z$/, 'Z');
}

function without(fields: FieldSet, removed: FieldSet): FieldSet {
  return new Map([...fields].filter(([key]) => !removed.has(key)));
}

export function lacking(manager: Manager, ...removed: readonly FieldSet[]): Manager {
  return { ...manager, fields: removed.reduce(without, manager.fields) };
}

export function managedFieldsIn(object: unknown): readonly unknown[] {
  const metadata = isFields(object) ? object['metadata'] : undefined;
  const managedFields = isFields(metadata) ? metadata['managedFields'] : undefined;
  return Array.isArray(managedFields) ? managedFields : [];
}

export function withoutManagerTimes(managedFields: readonly unknown[]): readonly unknown[] {
  return managedFields.map((value) => (isFields(value) ? { ...value, time: '' } : value));
}

/** FieldsV1 nests the steps; a dot stands for the item of a list itself. */
function treeOf(paths: readonly FieldPath[]): Fields {
  const byFirst = Map.groupBy(
    paths.filter((path) => path.length > 0),
    ([first = '']) => first,
  );
  return Object.fromEntries(
    [...byFirst].map(([step, below]) => {
      const rest = below.map((path) => path.slice(1));
      const itself = step.startsWith('k:') && rest.some((path) => path.length === 0) ? { '.': {} } : {};
      return [step, { ...itself, ...treeOf(rest) }];
    }),
  );
}

function pathsIn(tree: unknown, path: FieldPath): FieldPath[] {
  if (!isFields(tree)) return [];
  const steps = Object.entries(tree);
  if (steps.length === 0) return path.length === 0 ? [] : [path];
  return steps.flatMap(([step, below]) => {
    if (step === '.') return [path];
    return /^[fk]:/.test(step) ? pathsIn(below, [...path, step]) : [];
  });
}
