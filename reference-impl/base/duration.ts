const UNIT_MILLISECONDS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** One to four number-and-unit parts, at most 32 characters in all. */
const DURATION_PATTERN = /^(?=.{1,32}$)([0-9]{1,5}(h|m|s|ms)){1,4}$/;

/** Milliseconds of a duration such as `3s`, `5m` or `1h30m`; undefined when the text is not one. */
export function parseDuration(text: string): number | undefined {
  if (!DURATION_PATTERN.test(text)) return undefined;
  let milliseconds = 0;
  for (const [, amount, unit] of text.matchAll(/([0-9]+)(ms|h|m|s)/g)) {
    milliseconds += Number(amount) * (UNIT_MILLISECONDS[unit ?? ''] ?? 0);
  }
  return milliseconds;
}
