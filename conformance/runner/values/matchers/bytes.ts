import { quantityMatcher } from './measure.ts';

// prettier-ignore
const UNITS: Readonly<Record<string, number>> = {
  '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12,
  Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40,
};

export const bytes = quantityMatcher('~bytes', 'is a number of bytes: 1Ki equals 1024', 'a number of bytes', count);

/** Bytes of `1024`, `1Ki`, `2M`; undefined when the value is no quantity. */
function count(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const parts = typeof value === 'string' ? /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(value) : null;
  const unit = UNITS[parts?.[2] ?? ''];
  return parts === null || unit === undefined ? undefined : Number(parts[1]) * unit;
}
