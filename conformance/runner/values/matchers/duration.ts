import { quantityMatcher } from './measure.ts';

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const PART = /(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/gu;
const WHOLE = /^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+$/u;

export const duration = quantityMatcher(
  '~duration',
  'is a duration of this length: 300s equals 5m',
  'a duration',
  milliseconds,
);

/** Milliseconds of `1m30s`, `300s`, `0.5h`; undefined when the value is no duration. */
function milliseconds(value: unknown): number | undefined {
  if (value === '0' || value === 0) return 0;
  if (typeof value !== 'string' || !WHOLE.test(value)) return undefined;
  return [...value.matchAll(PART)].reduce((sum, part) => sum + Number(part[1]) * (UNITS[part[2] ?? ''] ?? 0), 0);
}
