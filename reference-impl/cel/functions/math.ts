import { CelScalar, celFunc, celUint, isCelUint, listType } from '@bufbuild/cel';
import type { CelFunc, CelList, CelUint, CelValue } from '@bufbuild/cel';

const { BOOL, DOUBLE, DYN, INT, UINT } = CelScalar;
const LIST = listType(DYN);
const MAX_ARGUMENTS = 8;

/** The math extension; `min` and `max` are other names of `math.least` and `math.greatest`. */
export const MATH_FUNCTIONS: readonly CelFunc[] = [
  ...extremes('math.least', (a, b) => a < b),
  ...extremes('math.greatest', (a, b) => a > b),
  ...extremes('min', (a, b) => a < b),
  ...extremes('max', (a, b) => a > b),
  celFunc('math.ceil', [DOUBLE], DOUBLE, Math.ceil),
  celFunc('math.floor', [DOUBLE], DOUBLE, Math.floor),
  celFunc('math.trunc', [DOUBLE], DOUBLE, Math.trunc),
  celFunc('math.round', [DOUBLE], DOUBLE, roundHalfAway),
  celFunc('math.isInf', [DOUBLE], BOOL, (x) => x === Infinity || x === -Infinity),
  celFunc('math.isNaN', [DOUBLE], BOOL, Number.isNaN),
  celFunc('math.isFinite', [DOUBLE], BOOL, Number.isFinite),
  celFunc('math.abs', [DOUBLE], DOUBLE, Math.abs),
  celFunc('math.abs', [INT], INT, (x) => int(x < 0n ? -x : x)),
  celFunc('math.abs', [UINT], UINT, (x) => x),
  celFunc('math.sign', [DOUBLE], DOUBLE, Math.sign),
  celFunc('math.sign', [INT], INT, (x) => (x > 0n ? 1n : x < 0n ? -1n : 0n)),
  celFunc('math.sign', [UINT], UINT, (x) => celUint(x.value > 0n ? 1n : 0n)),
  celFunc('math.sqrt', [DOUBLE], DOUBLE, Math.sqrt),
  celFunc('math.sqrt', [INT], DOUBLE, (x) => Math.sqrt(Number(x))),
  celFunc('math.sqrt', [UINT], DOUBLE, (x) => Math.sqrt(Number(x.value))),
  ...bitwise('math.bitAnd', (a, b) => a & b),
  ...bitwise('math.bitOr', (a, b) => a | b),
  ...bitwise('math.bitXor', (a, b) => a ^ b),
  celFunc('math.bitNot', [INT], INT, (x) => ~x),
  celFunc('math.bitNot', [UINT], UINT, (x) => celUint(BigInt.asUintN(64, ~x.value))),
  ...shift('math.bitShiftLeft', (x, by) => x << by),
  ...shift('math.bitShiftRight', (x, by) => x >> by),
];

/** One function per number of arguments: the engine has no variable argument lists. */
function extremes(name: string, wins: (a: number | bigint, b: number | bigint) => boolean): CelFunc[] {
  const best = (values: Iterable<CelValue>): CelValue => bestOf(name, values, wins);
  const fixed = Array.from({ length: MAX_ARGUMENTS }, (_, count) =>
    celFunc(name, Array<typeof DYN>(count + 1).fill(DYN), DYN, (...values: CelValue[]) => best(values)),
  );
  return [celFunc(name, [LIST], DYN, (values: CelList) => best(values)), ...fixed];
}

function bestOf(
  name: string,
  values: Iterable<CelValue>,
  wins: (a: number | bigint, b: number | bigint) => boolean,
): CelValue {
  let best: CelValue | undefined;
  for (const value of values) {
    const candidate = comparable(name, value);
    if (best === undefined || wins(candidate, comparable(name, best))) best = value;
  }
  if (best === undefined) throw new Error(`${name} of an empty list`);
  return best;
}

function comparable(name: string, value: CelValue): number | bigint {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (isCelUint(value)) return value.value;
  throw new Error(`${name} needs numbers`);
}

function bitwise(name: string, operate: (a: bigint, b: bigint) => bigint): CelFunc[] {
  return [
    celFunc(name, [INT, INT], INT, (a, b) => BigInt.asIntN(64, operate(a, b))),
    celFunc(name, [UINT, UINT], UINT, (a, b) => celUint(operate(a.value, b.value))),
  ];
}

/** Shifts are unsigned; a shift of 64 or more leaves nothing. */
function shift(name: string, operate: (x: bigint, by: bigint) => bigint): CelFunc[] {
  const shifted = (x: bigint, by: bigint): bigint => {
    if (by < 0n) throw new Error(`${name} needs a shift of at least 0`);
    return by > 63n ? 0n : operate(BigInt.asUintN(64, x), by);
  };
  return [
    celFunc(name, [INT, INT], INT, (x, by) => BigInt.asIntN(64, shifted(x, by))),
    celFunc(name, [UINT, INT], UINT, (x: CelUint, by) => celUint(BigInt.asUintN(64, shifted(x.value, by)))),
  ];
}

function roundHalfAway(x: number): number {
  return Number.isFinite(x) ? Math.sign(x) * Math.round(Math.abs(x)) : x;
}

function int(value: bigint): bigint {
  if (BigInt.asIntN(64, value) !== value) throw new Error('integer overflow');
  return value;
}
