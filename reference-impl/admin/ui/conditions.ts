import { objectMember, stringMember } from '../../base/members.ts';
import { perObject } from '../../base/per-object.ts';

/** One condition of a status. */
export interface Condition {
  readonly type: string;
  readonly holds: boolean;
  readonly reason: string;
  readonly message: string;
}

/** What `/status` gives. */
export interface Statuses {
  readonly resources: readonly unknown[];
}

export function isStatuses(value: unknown): value is Statuses {
  return Array.isArray(objectMember(value, 'resources'));
}

/** Every condition of the resource `kind namespace/name`, whatever part of its status it stands in; none when it has no status. */
export function conditionsOf(statuses: Statuses, resource: string): readonly Condition[] {
  return byResource(statuses).get(resource) ?? [];
}

const byResource = perObject(({ resources }: Statuses): ReadonlyMap<string, readonly Condition[]> => {
  return new Map(
    resources.map((one) => [
      `${textOf(one, 'kind')} ${textOf(one, 'namespace')}/${textOf(one, 'name')}`,
      collect(objectMember(one, 'status')),
    ]),
  );
});

function collect(value: unknown): Condition[] {
  if (typeof value !== 'object' || value === null) return [];
  const conditions = objectMember(value, 'conditions');
  const own = Array.isArray(conditions) ? conditions.map(readCondition) : [];
  return [...own, ...Object.entries(value).flatMap(([name, inner]) => (name === 'conditions' ? [] : collect(inner)))];
}

function readCondition(value: unknown): Condition {
  return {
    type: textOf(value, 'type'),
    holds: textOf(value, 'status') === 'True',
    reason: textOf(value, 'reason'),
    message: textOf(value, 'message'),
  };
}

function textOf(value: unknown, name: string): string {
  return stringMember(value, name) ?? '';
}
