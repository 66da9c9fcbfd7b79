import type { Envelope } from '../resources/envelope.ts';

/**
 * What decides between equals: the older one first, then the first by namespace and name. docs/decisions/merge-ties.md
 */
export interface Aged {
  /** Seconds since year 0; infinite when the resource does not say. */
  readonly created: number;
  readonly namespace: string;
  readonly name: string;
}

/** The age of a resource. */
export function ageOf({ metadata }: Envelope): Aged {
  return { created: instant(metadata.creationTimestamp), namespace: metadata.namespace ?? '', name: metadata.name };
}

/** When the resource was made, in seconds since 1970; 0 when it does not say. */
export function createdAt(resource: Envelope): number {
  const { created } = ageOf(resource);
  return Number.isFinite(created) ? Math.floor(created) - SECONDS_BEFORE_1970 : 0;
}

const SECONDS_BEFORE_1970 = 719_528 * 86_400;

/** Negative when `one` comes before `other`. */
export function compareAge(one: Aged, other: Aged): number {
  return (
    compare(one.created, other.created) || compare(one.namespace, other.namespace) || compare(one.name, other.name)
  );
}

function compare<Value extends number | string>(one: Value, other: Value): number {
  return one < other ? -1 : Number(one > other);
}

const TIMESTAMP = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d(?:\.\d+)?))?(?:Z|([+-])(\d\d):?(\d\d))$/i;
const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

/** Timestamps may differ in precision and offset, so their texts cannot be compared. */
function instant(timestamp: string | null | undefined): number {
  const parts = TIMESTAMP.exec(timestamp ?? '');
  if (parts === null) return Infinity;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const minutes = (daysBefore(year, month, day) * 24 + hour) * 60 + minute - offsetIn(parts);
  return minutes * 60 + second;
}

/** Days from the beginning of the calendar. */
function daysBefore(year: number, month: number, day: number): number {
  const leapYear = month > 2 ? year : year - 1;
  const leapDays = Math.floor(leapYear / 4) - Math.floor(leapYear / 100) + Math.floor(leapYear / 400);
  return year * 365 + leapDays + (DAYS_BEFORE_MONTH[month - 1] ?? 0) + day;
}

/** Minutes east of UTC. */
function offsetIn([, , , , , , , sign, hours, minutes]: RegExpExecArray): number {
  return (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === '-' ? -1 : 1);
}
