import { ageOf } from '../../attachment/age.ts';
import { rfc3339 } from '../../base/clock.ts';
import type { Envelope } from '../../resources/envelope.ts';

const UNITS = [
  { name: 'd', seconds: 86_400, from: 2 * 86_400 },
  { name: 'h', seconds: 3600, from: 3 * 3600 },
  { name: 'm', seconds: 60, from: 3 * 60 },
] as const;

/** `45s`, `12m`, `5h`, `3d`; `<unknown>` without a creation time. `now` is in milliseconds since 1970. */
export function ageText(object: Envelope, now: number): string {
  const born = ageOf(object).created;
  if (!Number.isFinite(born)) return '<unknown>';
  const today = ageOf({ ...object, metadata: { ...object.metadata, creationTimestamp: rfc3339(now) } }).created;
  const seconds = Math.max(0, Math.floor(today - born));
  const unit = UNITS.find(({ from }) => seconds >= from);
  return unit === undefined ? `${seconds}s` : `${Math.floor(seconds / unit.seconds)}${unit.name}`;
}
