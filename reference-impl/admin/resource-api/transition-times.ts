import { isFields } from '../../resources/groups.ts';

/**
 * A status whose conditions tell since when they hold: `now` for those whose `status` is not what it was in `before`.
 * Lists are compared by what their items are about, not by their order.
 */
export function withTransitionTimes(status: unknown, before: unknown, now: string): unknown {
  if (Array.isArray(status)) {
    const known = new Map((Array.isArray(before) ? before : []).map((item: unknown) => [subjectOf(item), item]));
    return status.map((item: unknown) => withTransitionTimes(item, known.get(subjectOf(item)), now));
  }
  if (!isFields(status)) return status;
  if (isCondition(status)) {
    const since = isFields(before) && before['status'] === status['status'] ? before['lastTransitionTime'] : now;
    return { ...status, lastTransitionTime: since };
  }
  const earlier = isFields(before) ? before : {};
  return Object.fromEntries(
    Object.entries(status).map(([member, value]) => [member, withTransitionTimes(value, earlier[member], now)]),
  );
}

function isCondition(value: Readonly<Record<string, unknown>>): boolean {
  return typeof value['type'] === 'string' && typeof value['status'] === 'string';
}

/** What an item of a status list is about. */
function subjectOf(item: unknown): string {
  if (!isFields(item)) return JSON.stringify(item);
  return JSON.stringify(SUBJECTS.map((member) => item[member]));
}

const SUBJECTS: readonly string[] = ['type', 'name', 'parentRef', 'ancestorRef'];
