import { objectMember, stringMember } from '../../base/members.ts';

/** One condition of a status. */
export interface Condition {
  readonly type: string;
  readonly holds: boolean;
  readonly reason: string;
  readonly message: string;
}

/** Every condition of a resource, whatever part of its status it stands in; a list for a resource without status is empty. */
export function conditionsOf(
  status: unknown,
  resource: { kind: string; namespace: string; name: string },
): Condition[] {
  const resources = objectMember(status, 'resources');
  const found: unknown = Array.isArray(resources)
    ? resources.find((one) => Object.entries(resource).every(([name, text]) => stringMember(one, name) === text))
    : undefined;
  return collect(objectMember(found, 'status'));
}

function collect(value: unknown): Condition[] {
  if (typeof value !== 'object' || value === null) return [];
  const conditions = objectMember(value, 'conditions');
  const own = Array.isArray(conditions) ? conditions.map(readCondition) : [];
  return [...own, ...Object.entries(value).flatMap(([name, inner]) => (name === 'conditions' ? [] : collect(inner)))];
}

function readCondition(value: unknown): Condition {
  const text = (name: string): string => stringMember(value, name) ?? '';
  return { type: text('type'), holds: text('status') === 'True', reason: text('reason'), message: text('message') };
}
