import { isList, isObject } from '../values/json.ts';

/** How a value is falsified a little, so that only a case that looks closely notices. */
export type OperatorName = keyof typeof OPERATORS;

/** The falsified value; undefined where the operator has nothing to change. */
type Operator = (value: unknown) => unknown;

const OPERATORS = {
  'one-more': (value) => (isWhole(value) ? value + 1 : undefined),
  'one-less': (value) => (isWhole(value) && value > 0 ? value - 1 : undefined),
  double: (value) => (isWhole(value) ? doubledNumber(value) : inQuantity(value, (amount) => amount * 2)),
  'drop-first': (value) => withEntries(value, (entries) => entries.slice(1)),
  'drop-last': (value) => withEntries(value, (entries) => entries.slice(0, -1)),
  reverse: (value) => (isList(value) ? withEntries(value, (entries) => entries.toReversed()) : undefined),
  'other-unit': (value) => otherUnit(value),
} as const satisfies Record<string, Operator>;

export const OPERATOR_NAMES = Object.keys(OPERATORS).filter(isOperatorName);

/** The value as the operator leaves it; undefined when it changes nothing about such a value. */
export function falsify(value: unknown, by: OperatorName): unknown {
  return OPERATORS[by](value);
}

export function isOperatorName(name: string): name is OperatorName {
  return Object.hasOwn(OPERATORS, name);
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value);
}

function doubledNumber(value: number): number | undefined {
  return value === 0 ? undefined : value * 2;
}

/** Of a list or a map with two entries or more; with fewer the entry is the field, which is ablated anyway. */
function withEntries(value: unknown, change: (entries: readonly unknown[]) => readonly unknown[]): unknown {
  if (isList(value)) return value.length < 2 ? undefined : change(value);
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value);
  if (entries.length < 2) return undefined;
  const kept = new Set(change(entries.map(([name]) => name)));
  return Object.fromEntries(entries.filter(([name]) => kept.has(name)));
}

/** `2s`, `1Ki`, `1024`: the amount of a text that is a number, with its unit. */
const QUANTITY = /^(\d+)(ms|s|m|h|Ki|Mi|k|M|)$/;

function inQuantity(value: unknown, change: (amount: number) => number): string | undefined {
  const [, amount, unit] = typeof value === 'string' ? (QUANTITY.exec(value) ?? []) : [];
  return amount === undefined || unit === undefined || amount === '0' ? undefined : `${change(Number(amount))}${unit}`;
}

/** The neighbour in its list; the last one has the one before it. */
const UNITS: readonly (readonly string[])[] = [
  ['ms', 's', 'm', 'h'],
  ['Ki', 'Mi'],
  ['k', 'M'],
  ['Seconds', 'Minutes', 'Hours'],
];

function otherUnit(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const [, amount = '', unit = value] = QUANTITY.exec(value) ?? [];
  const family = UNITS.find((units) => units.includes(unit));
  const at = family?.indexOf(unit) ?? 0;
  const other = family?.[at + 1] ?? family?.[at - 1];
  return other === undefined || amount === '0' ? undefined : `${amount}${other}`;
}
