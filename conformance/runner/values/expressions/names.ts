import { parse } from '@bufbuild/cel';
import { LRUCache } from 'lru-cache';
import { isList, isObject } from '../json.ts';

const cache = new LRUCache<string, readonly string[]>({ max: 10_000 });

/**
 * What an expression names, each once: variables with their members as far as they are written out (`request.headers`), functions as
 * `cidr()`, methods as `.containsIP()`. Operators and variables of macros are none. A text that is no CEL names nothing.
 */
export function namesIn(text: string): readonly string[] {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const names = [...new Set(namesAnew(text))];
  cache.set(text, names);
  return names;
}

function namesAnew(text: string): readonly string[] {
  try {
    // What the runner fills in later is a text or a number, whatever it will be.
    return namesBelow(parse(text.replaceAll(/\$\{[^}]*\}/g, '0')).expr, new Set());
  } catch {
    return [];
  }
}

/** What an expression plainly gives, as far as its outermost operator tells; undefined where that depends on a variable. */
export function resultOf(text: string): 'text' | 'number' | 'boolean' | undefined {
  try {
    return resultBelow(parse(text.replaceAll(/\$\{[^}]*\}/g, '0')).expr);
  } catch {
    return undefined;
  }
}

const CONSTANTS: Readonly<Record<string, 'text' | 'number' | 'boolean'>> = {
  stringValue: 'text',
  boolValue: 'boolean',
  int64Value: 'number',
  uint64Value: 'number',
  doubleValue: 'number',
};
const NUMBERS: ReadonlySet<string> = new Set(['int', 'uint', 'double', 'size', '_-_', '_*_', '_/_', '_%_', '-_']);
const BOOLEANS: ReadonlySet<string> = new Set(
  '_==_ _!=_ _<_ _<=_ _>_ _>=_ _&&_ _||_ !_ @in in startsWith endsWith contains matches bool'.split(' '),
);

function resultBelow(value: unknown): ReturnType<typeof resultOf> {
  if (!isObject(value) || !isObject(value['exprKind'])) return undefined;
  const { case: kind, value: written } = value['exprKind'];
  if (!isObject(written)) return undefined;
  if (kind === 'constExpr' && isObject(written['constantKind']))
    return CONSTANTS[String(written['constantKind']['case'])];
  if (kind !== 'callExpr') return undefined;
  const name = String(written['function']);
  const parts = isList(written['args']) ? written['args'] : [];
  if (NUMBERS.has(name)) return 'number';
  if (BOOLEANS.has(name)) return 'boolean';
  if (name === '_+_') return resultBelow(parts[0]) ?? resultBelow(parts[1]);
  return name === '_?_:_' ? resultBelow(parts[1]) : undefined;
}

type Bound = ReadonlySet<string>;

/** The tree is read as plain data: its messages are generated and differ between versions only in what is not looked at here. */
function namesBelow(value: unknown, bound: Bound): readonly string[] {
  if (isList(value)) return value.flatMap((item) => namesBelow(item, bound));
  if (!isObject(value)) return [];
  const { exprKind } = value;
  if (!isObject(exprKind) || !isObject(exprKind['value']))
    return Object.values(value).flatMap((member) => namesBelow(member, bound));
  const written = exprKind['value'];
  const chain = chainOf(value);
  if (chain !== undefined) return bound.has(chain[0] ?? '') ? [] : [chain.join('.')];
  if (exprKind['case'] === 'callExpr') return [...calledName(written), ...inside(written, bound)];
  if (exprKind['case'] === 'comprehensionExpr') {
    const own = [written['iterVar'], written['iterVar2'], written['accuVar'], '@result', '__result__'].map(String);
    return inside(written, new Set([...bound, ...own]));
  }
  return inside(written, bound);
}

function inside(written: Readonly<Record<string, unknown>>, bound: Bound): readonly string[] {
  return Object.values(written).flatMap((member) => namesBelow(member, bound));
}

/** `[request, headers]`, when the expression is nothing but a variable and members of it. */
function chainOf(value: unknown): readonly string[] | undefined {
  if (!isObject(value) || !isObject(value['exprKind'])) return undefined;
  const { case: kind, value: written } = value['exprKind'];
  if (!isObject(written)) return undefined;
  if (kind === 'identExpr') return [String(written['name'])];
  if (kind !== 'selectExpr') return undefined;
  const owner = chainOf(written['operand']);
  return owner && [...owner, String(written['field'])];
}

/** Operators have names no author can write, such as `_+_`. */
function calledName(call: Readonly<Record<string, unknown>>): readonly string[] {
  const name = String(call['function']);
  if (!/^[A-Za-z]\w*$/.test(name)) return [];
  return [isObject(call['target']) ? `.${name}()` : `${name}()`];
}
