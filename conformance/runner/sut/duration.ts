const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds of `250ms`, `2s`, `1.5m`, `1h`; undefined when the text is no such duration. */
export function parseDuration(text: string): number | undefined {
  const parts = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text);
  const unit = UNITS[parts?.[2] ?? ''];
  return parts?.[1] === undefined || unit === undefined ? undefined : Number(parts[1]) * unit;
}
