import { wallClock } from '../wall-clock.ts';

const WORD = /^now(?:([+-]\d+)(ms|s|m|h|d))?$/;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `now`, `now-2m`, `now+1h` as seconds since 1970, which is how tokens count; any other value as it is. */
export function timeWord(value: unknown): unknown {
  const found = typeof value === 'string' ? WORD.exec(value) : null;
  if (found === null) return value;
  const [, amount = '0', unit = 's'] = found;
  return Math.floor((wallClock() + Number(amount) * (UNIT_MS[unit] ?? 0)) / 1000);
}
