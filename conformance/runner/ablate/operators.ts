import { isList, isObject } from '../values/json.ts';

/** How a value is falsified a little, so that only a case that looks closely notices. */
export type OperatorName = keyof typeof OPERATORS;

/** The falsified value; undefined where the operator has nothing to change. */
type Operator = (value: unknown) => unknown;

const OPERATORS = {
  'one-more': (value) => inNumbers(value, (whole) => whole + 1),
  'one-less': (value) => inNumbers(value, (whole) => (whole > 0 ? whole - 1 : undefined)),
  double: (value) => (typeof value === 'number' ? double(value) : inQuantity(value, doubleQuantity)),
  halve: (value) => (typeof value === 'number' ? halve(value) : inQuantity(value, halveQuantity)),
  'drop-first': (value) => withEntries(value, 2, (entries) => entries.slice(1)),
  'drop-middle': (value) => withEntries(value, 3, (entries) => entries.toSpliced(Math.floor(entries.length / 2), 1)),
  'drop-last': (value) => withEntries(value, 2, (entries) => entries.slice(0, -1)),
  reverse: (value) => (isList(value) ? withEntries(value, 2, (entries) => entries.toReversed()) : undefined),
  'other-unit': (value) => inQuantity(value, otherUnit) ?? otherWord(value),
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

/** Of a number, or of each number of a list such as that of statuses. */
function inNumbers(value: unknown, change: (whole: number) => number | undefined): unknown {
  if (isWhole(value)) return change(value);
  return isList(value) && value.length > 0 && value.every(isWhole)
    ? value.map((each) => change(each) ?? each)
    : undefined;
}

function double(value: number): number | undefined {
  return value === 0 ? undefined : value * 2;
}

/** A whole number stays one. */
function halve(value: number): number | undefined {
  const half = isWhole(value) ? Math.floor(value / 2) : value / 2;
  return half === value ? undefined : half;
}

/** Of a list or a map with so many entries; with fewer than two the entry is the field, which is ablated anyway. */
function withEntries(
  value: unknown,
  atLeast: number,
  change: (entries: readonly unknown[]) => readonly unknown[],
): unknown {
  if (isList(value)) return value.length < atLeast ? undefined : change(value);
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value);
  if (entries.length < atLeast) return undefined;
  const kept = new Set(change(entries.map(([name]) => name)));
  return Object.fromEntries(entries.filter(([name]) => kept.has(name)));
}

/** `2s`, `1Ki`, `1024`: a text that is a number, with its unit; or an expression that is a duration, `'2s'` and `duration('2s')`. */
const QUANTITY = /^((?:duration\()?'?)(\d+)(ms|s|m|h|Ki|Mi|k|M|)('?\)?)$/;

/** The text with another amount and unit. */
function inQuantity(value: unknown, change: (amount: number, unit: string) => string | undefined): string | undefined {
  const [, before = '', amount = '0', unit = '', after = ''] =
    typeof value === 'string' ? (QUANTITY.exec(value) ?? []) : [];
  const changed = amount === '0' ? undefined : change(Number(amount), unit);
  return changed === undefined ? undefined : `${before}${changed}${after}`;
}

function doubleQuantity(amount: number, unit: string): string {
  return `${amount * 2}${unit}`;
}

/** Half of one, in the unit below. */
const HALF: Readonly<Record<string, string>> = {
  s: '500ms',
  m: '30s',
  h: '30m',
  Ki: '512',
  Mi: '512Ki',
  k: '500',
  M: '500k',
};

function halveQuantity(amount: number, unit: string): string | undefined {
  return amount === 1 ? HALF[unit] : `${Math.floor(amount / 2)}${unit}`;
}

/** The neighbour in its list; the last one has the one before it. */
const UNITS: readonly (readonly string[])[] = [
  ['ms', 's', 'm', 'h'],
  ['Ki', 'Mi'],
  ['k', 'M'],
];

function otherUnit(amount: number, unit: string): string | undefined {
  const other = neighbour(unit, UNITS);
  return other === undefined ? undefined : `${amount}${other}`;
}

const WORDS: typeof UNITS = [['Seconds', 'Minutes', 'Hours']];

function otherWord(value: unknown): string | undefined {
  return typeof value === 'string' ? neighbour(value, WORDS) : undefined;
}

function neighbour(unit: string, families: typeof UNITS): string | undefined {
  const family = families.find((units) => units.includes(unit)) ?? [];
  const at = family.indexOf(unit);
  return family[at + 1] ?? family[at - 1];
}
