import { type Fields, isFields } from '../../resources/groups.ts';
import type { ObjectPath } from './paths.ts';
import type { KindName } from '../../resources/kinds.ts';
import type { ApiAnswer, JsonAnswer } from './answer.ts';
import { parseFields, unfit, valueLimit } from './body.ts';
import type { ApiCall } from './call.ts';
import { compileAhead } from './compile-ahead.ts';
import {
  entry,
  type FieldPath,
  type FieldSet,
  fieldsOf,
  fieldText,
  keyedItems,
  ownable,
  sameAt,
  withoutFields,
} from './field-paths.ts';
import { lacking, managedFieldsOf, type Manager, managersOf, managerTime } from './managed-fields.ts';
import { liveAt } from './objects.ts';
import { withoutStringData } from './secret-data.ts';
import { badRequest, failure } from './status-errors.ts';
import { submit } from './submit.ts';
import { writeOptions } from './write-options.ts';

/**
 * Server-side apply: the body says what its manager wants to own. What the manager owned before and names no more is
 * removed when nobody else owns it; what another manager owns with another value is a conflict, unless forced.
 */
export async function applyObject(call: ApiCall, path: ObjectPath, text: string): Promise<ApiAnswer> {
  const { kind, namespace, name } = path;
  const parsed = parseFields(text, valueLimit(kind));
  if (!parsed.ok) return parsed.answer;
  const options = writeOptions(call);
  if ('refused' in options) return options.refused;
  if (call.query.get('fieldManager') === null) return badRequest('fieldManager is required for apply patch');
  if (namesManagedFields(parsed.value)) return badRequest('metadata.managedFields must be nil');

  await compileAhead(kind, parsed.value, call.context.clock);
  const applied = withoutStringData(parsed.value);
  const live = liveAt(call, path);
  const known = managersOf(live?.object);
  const applier = { kind: kind.name, manager: options.manager, apiVersion: kind.apiVersion, live: live?.object ?? {} };
  const fields = fieldsOf(kind.name, ownable(applied));
  const conflicts = conflictsOf(applier, known, applied, fields);
  if (conflicts.length > 0 && !options.force) return conflictAnswer(conflicts);

  const others = known
    .filter((each) => !isApplier(each, options.manager))
    .map((each) => withoutConflicts(each, conflicts));
  const managed = {
    manager: options.manager,
    apiVersion: kind.apiVersion,
    time: managerTime(call.context.clock),
    fields,
  };
  const before = known.find((each) => isApplier(each, options.manager))?.fields ?? new Map<string, FieldPath>();
  const merged = mergedWith(kind.name, applier.live, applied, []);
  const abandoned = abandonedFields(before, [fields, ...others.map((each) => each.fields)]);
  const object = withoutFields(kind.name, merged, abandoned);
  const managedFields = managedFieldsOf([...others, { ...managed, operation: 'Apply' }]);
  const identified = withSentIdentity(isFields(object) ? object : {}, applied);
  const refused = unfit(identified, valueLimit(kind));
  if (refused !== undefined) return refused;
  return submit({ kind, namespace, name, object: identified, live, managedFields, options }, call.context);
}

function namesManagedFields({ metadata }: Fields): boolean {
  return isFields(metadata) && Array.isArray(metadata['managedFields']) && metadata['managedFields'].length > 0;
}

interface Conflict {
  readonly owner: Manager;
  readonly path: FieldPath;
}

function conflictsOf(
  { kind, live, manager }: { kind: KindName; live: Fields; manager: string },
  known: readonly Manager[],
  applied: Fields,
  fields: FieldSet,
): readonly Conflict[] {
  const differing = [...fields].filter(([, path]) => !sameAt(kind, live, applied, path));
  return known
    .filter((owner) => !isApplier(owner, manager))
    .flatMap((owner) => differing.flatMap(([key, path]) => (owner.fields.has(key) ? [{ owner, path }] : [])));
}

function isApplier({ manager, operation }: Manager, name: string): boolean {
  return operation === 'Apply' && manager === name;
}

function withoutConflicts(owner: Manager, conflicts: readonly Conflict[]): Manager {
  return lacking(owner, new Map(conflicts.filter((each) => each.owner === owner).map(({ path }) => entry(path))));
}

function conflictAnswer(conflicts: readonly Conflict[]): JsonAnswer {
  const causes = conflicts.map(({ owner, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with "${owner.manager}" using ${owner.apiVersion}`,
    field: fieldText(path),
  }));
  const texts = causes.map(({ message, field }) => `${message}: ${field}`);
  const plural = causes.length === 1 ? '' : 's';
  return failure(409, 'Conflict', `Apply failed with ${causes.length} conflict${plural}: ${texts.join('; ')}`, {
    causes,
  });
}

/** The applied value over the live one: maps by member, keyed lists by item, everything else as a whole. */
function mergedWith(kind: KindName, live: unknown, applied: unknown, path: FieldPath): unknown {
  const items = keyedItems(kind, applied, path);
  if (items !== undefined) {
    const existing = keyedItems(kind, live, path) ?? new Map<string, Fields>();
    return [...new Map([...existing, ...items]).keys()].map((step) =>
      items.has(step) ? mergedWith(kind, existing.get(step), items.get(step), [...path, step]) : existing.get(step),
    );
  }
  if (!isFields(applied) || !isFields(live)) return applied;
  const members = Object.entries(applied).map(([member, value]) => [
    member,
    mergedWith(kind, live[member], value, [...path, `f:${member}`]),
  ]);
  return { ...live, ...Object.fromEntries(members) };
}

/** What was owned and is no more, with the maps that only held such fields. */
function abandonedFields(before: FieldSet, owned: readonly FieldSet[]): FieldSet {
  const kept = new Set(owned.flatMap((fields) => [...withParents(fields).keys()]));
  return new Map([...withParents(before)].filter(([key]) => !kept.has(key)));
}

function withParents(fields: FieldSet): FieldSet {
  return new Map([...fields.values()].flatMap((path) => path.map((_, index) => entry(path.slice(0, index + 1)))));
}

/** Name, version and uid are those of the body, where it has them: they tell which object the client means. */
function withSentIdentity(object: Fields, applied: Fields): Fields {
  const sent = isFields(applied['metadata']) ? applied['metadata'] : {};
  const merged = isFields(object['metadata']) ? object['metadata'] : {};
  const { resourceVersion: _v, uid: _u, ...metadata } = merged;
  const identity = ['resourceVersion', 'uid'].flatMap((member) =>
    sent[member] === undefined ? [] : [[member, sent[member]] as const],
  );
  return { ...object, metadata: { ...metadata, ...Object.fromEntries(identity) } };
}
