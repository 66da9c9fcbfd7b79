import { wallClock } from '../wall-clock.ts';

/** An hour from now, as the cloud writes it: RFC 3339 without fractions. */
export function lentUntil(seconds = 3600): string {
  const moment = wallClock() + seconds * 1000;
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: 'UTC',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).formatToParts(moment);
  const of = (type: string): string => parts.find((part) => part.type === type)?.value ?? '';
  return `${of('year')}-${of('month')}-${of('day')}T${of('hour')}:${of('minute')}:${of('second')}Z`;
}
