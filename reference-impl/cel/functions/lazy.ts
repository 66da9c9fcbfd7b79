import { CelScalar, celFunc, celList, celMap, isCelError, isCelList, isCelMap, listType, mapType } from '@bufbuild/cel';
import type { CelError, CelFunc, CelResult, CelUint, CelValue } from '@bufbuild/cel';
import { firstPart, isSpent, runPart, spend, valueOf } from '../frame.ts';

const { BOOL, DYN, INT, STRING } = CelScalar;
const LIST = listType(DYN);
const MAP = mapType(DYN, DYN);

/**
 * Functions whose arguments run only when needed. `lower.ts` hands over the numbers of their parts and the values of
 * the names bound around them.
 */
export const LAZY_FUNCTIONS: readonly CelFunc[] = [
  celFunc('@tick', [], BOOL, () => {
    spend(1);
    return true;
  }),
  // Fallback for what is missing, undeclared or null; other failures stand.
  celFunc('@default', [LIST, LIST], DYN, (numbers, locals) => {
    let last: CelResult = null;
    const first = firstPart(numbers, locals, (result) => {
      last = result;
      return isAbsent(result) ? undefined : result;
    });
    return valueOf(first ?? last);
  }),
  // The first value that is neither a failure nor null; null when one was null.
  celFunc('@coalesce', [LIST, LIST], DYN, (numbers, locals) => {
    let sawNull = false;
    let failure: CelError | undefined;
    const first = firstPart(numbers, locals, (result) => {
      if (isCelError(result)) failure = result;
      else if (result === null) sawNull = true;
      return isCelError(result) && !isSpent() ? undefined : (result ?? undefined);
    });
    if (first !== undefined) return valueOf(first);
    if (!sawNull && failure !== undefined) throw failure;
    return null;
  }),
  // What `map` and `filter` build: the engine's own way takes time in the square of the length.
  celFunc('@collect', [DYN, LIST, LIST], LIST, (range, [...numbers], locals) => {
    const [step, condition] = numbers.map(partNumber);
    if (step === undefined) throw new Error('no such part');
    const collected: CelValue[] = [];
    for (const item of itemsOf(range)) {
      if (condition === undefined || holds(oneRound(condition, locals, item)))
        collected.push(oneRound(step, locals, item));
    }
    return celList(collected);
  }),
  celFunc('@mapValues', [MAP, INT, LIST], MAP, (map, part, locals) => {
    const mapped = new Map<MapKey, CelValue>();
    for (const [key, value] of map) mapped.set(key, oneRound(part, locals, value));
    return celMap(mapped);
  }),
  celFunc('@filterKeys', [MAP, INT, LIST], MAP, (map, part, locals) => {
    const kept = new Map<MapKey, CelValue>();
    for (const [key, value] of map) if (oneRound(part, locals, key) === true) kept.set(key, value);
    return celMap(kept);
  }),
  celFunc('@withoutNulls', [MAP], MAP, (map) => celMap(new Map([...map].filter(([, value]) => value !== null)))),
  celFunc('fail', [STRING], DYN, (message) => {
    throw new Error(message);
  }),
  celFunc('fail', [], DYN, () => {
    throw new Error('fail() was called');
  }),
];

type MapKey = bigint | string | boolean | CelUint;

function partNumber(number: CelValue): bigint {
  if (typeof number !== 'bigint') throw new Error('no such part');
  return number;
}

/** The elements of a list, the keys of a map. */
function itemsOf(range: CelValue): Iterable<CelValue> {
  if (isCelList(range)) return range;
  if (isCelMap(range)) return range.keys();
  throw new Error('only lists and maps can be gone through');
}

function holds(value: CelValue): boolean {
  if (typeof value !== 'boolean') throw new Error('a condition must be true or false');
  return value;
}

function oneRound(part: bigint, locals: Iterable<CelValue>, value: CelValue): CelValue {
  spend(1);
  return valueOf(runPart(part, locals, [value]));
}

/** The engine tells its failures apart by text only. */
const ABSENT = /^(field not found|no such key|unresolved attribute|index \S+ out of bounds \[0, -1\))/;

function isAbsent(result: CelResult): boolean {
  return result === null || (isCelError(result) && ABSENT.test(result.message));
}
