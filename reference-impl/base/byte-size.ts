const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

const MULTIPLIERS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ...BINARY.map((suffix, index) => [suffix, 1024 ** (index + 1)] as const),
  ['n', 1e-9],
  ['u', 1e-6],
  ['m', 1e-3],
  ['k', 1e3],
  ['M', 1e6],
  ['G', 1e9],
  ['T', 1e12],
  ['P', 1e15],
  ['E', 1e18],
]);

/** Decimal number, then an exponent or one suffix. */
export const BYTE_SIZE_PATTERN =
  /^\+?([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:([eE][+-]?[0-9]{1,3})|([KMGTPE]i|[numkMGTPE]))?$/;

/** Whole bytes of a quantity such as `2Mi`, `16k` or `1024`, fractions rounded up; undefined when it is not one. */
export function parseByteSize(value: string | number): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 ? value : undefined;
  const match = BYTE_SIZE_PATTERN.exec(value);
  if (match === null) return undefined;
  const [, digits = '', exponent = '', suffix = ''] = match;
  const bytes = Number(`${digits}${exponent}`) * (MULTIPLIERS.get(suffix) ?? Number.NaN);
  // LIMIT-006: a product with a fraction may be off by its last bit, and 2000000000000n is 2000 bytes, not one more.
  return Number.isInteger(bytes) ? bytes : Math.ceil(Number(bytes.toPrecision(15)));
}
