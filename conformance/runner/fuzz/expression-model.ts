// A part of the Common Expression Language in few lines, written from its definition: the oracle of the expression properties. It has
// no variables, so that every implementation knows all its names.

/** An expression. Numbers are whole. */
export type Expression =
  | { readonly is: 'number'; readonly value: number }
  | { readonly is: 'text'; readonly value: string }
  | { readonly is: 'boolean'; readonly value: boolean }
  | { readonly is: 'negative' | 'not' | 'string' | 'size'; readonly of: Expression }
  | { readonly is: Logical; readonly left: Expression; readonly right: Expression }
  | { readonly is: Plainly; readonly left: Expression; readonly right: Expression }
  | { readonly is: 'choice'; readonly when: Expression; readonly left: Expression; readonly right: Expression }
  /** Of a list of numbers: whether a number is in it, its n-th item, whether an item is greater, whether all are. */
  | { readonly is: Question; readonly list: readonly number[]; readonly of: Expression };

export type Operator = Logical | Plainly;
type Logical = '&&' | '||';
type Plainly =
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '<'
  | '<='
  | '>'
  | '>='
  | '=='
  | '!='
  | 'contains'
  | 'startsWith'
  | 'endsWith';
export type Question = 'in' | 'item' | 'exists' | 'all';

/** What an expression comes to; `fails` where its evaluation fails. */
export type Value = number | string | boolean | typeof FAILS;
export const FAILS = Symbol('fails');

/** The value of an expression. */
export function valueOf(one: Expression): Value {
  if (isPlainly(one)) return unary(one.left, (left) => unary(one.right, (right) => BINARY[one.is](left, right)));
  switch (one.is) {
    case 'number':
    case 'text':
    case 'boolean':
      return one.value;
    case 'negative':
      return unary(one.of, (value) => 0 - Number(value));
    case 'not':
      return unary(one.of, (value) => value !== true);
    case 'string':
      return unary(one.of, String);
    case 'size':
      return unary(one.of, (value) => String(value).length);
    case 'choice':
      // Only the branch that is chosen is looked at.
      return unary(one.when, (when) => valueOf(when === true ? one.left : one.right));
    case 'in':
    case 'item':
    case 'exists':
    case 'all':
      return unary(one.of, (value) => QUESTIONS[one.is](one.list, Number(value)));
    case '&&':
    case '||':
      break;
  }
  return together(one.left, one.right, one.is === '||');
}

function isPlainly(one: Expression): one is Extract<Expression, { readonly is: Plainly }> {
  return one.is in BINARY;
}

function unary(of: Expression, then: (value: number | string | boolean) => Value): Value {
  const value = valueOf(of);
  return value === FAILS ? FAILS : then(value);
}

/** One side that decides is enough, whichever it is, and whatever the other one comes to. */
function together(left: Expression, right: Expression, decides: boolean): Value {
  const values = [valueOf(left), valueOf(right)];
  if (values.includes(decides)) return decides;
  return values.includes(FAILS) ? FAILS : !decides;
}

const QUESTIONS: Readonly<Record<Question, (list: readonly number[], value: number) => Value>> = {
  in: (list, value) => list.includes(value),
  item: (list, value) => list[value] ?? FAILS,
  exists: (list, value) => list.some((item) => item > value),
  all: (list, value) => list.every((item) => item > value),
};

type Plain = number | string | boolean;
const BINARY: Readonly<Record<Plainly, (left: Plain, right: Plain) => Value>> = {
  '+': (left, right) => (typeof left === 'number' ? left + Number(right) : `${left}${right}`),
  '-': (left, right) => Number(left) - Number(right),
  '*': (left, right) => Number(left) * Number(right) + 0,
  // Towards zero; the remainder has the sign of what is divided.
  '/': (left, right) => (right === 0 ? FAILS : Math.trunc(Number(left) / Number(right)) + 0),
  '%': (left, right) => (right === 0 ? FAILS : (Number(left) % Number(right)) + 0),
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  contains: (left, right) => String(left).includes(String(right)),
  startsWith: (left, right) => String(left).startsWith(String(right)),
  endsWith: (left, right) => String(left).endsWith(String(right)),
};

/** The expression as it is written, every part in brackets. */
export function textOf(one: Expression): string {
  if (isPlainly(one)) {
    const [left, right] = [textOf(one.left), textOf(one.right)];
    return /^[a-z]/.test(one.is) ? `(${left}).${one.is}(${right})` : `(${left} ${one.is} ${right})`;
  }
  switch (one.is) {
    case 'number':
      return one.value < 0 ? `(${one.value})` : String(one.value);
    case 'text':
      return `'${one.value}'`;
    case 'boolean':
      return String(one.value);
    case 'negative':
      return `(-(${textOf(one.of)}))`;
    case 'not':
      return `!(${textOf(one.of)})`;
    case 'string':
    case 'size':
      return `${one.is}(${textOf(one.of)})`;
    case 'choice':
      return `(${textOf(one.when)} ? ${textOf(one.left)} : ${textOf(one.right)})`;
    case 'in':
      return `(${textOf(one.of)} in ${listText(one.list)})`;
    case 'item':
      return `${listText(one.list)}[${textOf(one.of)}]`;
    case 'exists':
    case 'all':
      return `${listText(one.list)}.${one.is}(x, x > ${textOf(one.of)})`;
    case '&&':
    case '||':
      break;
  }
  return `(${textOf(one.left)} ${one.is} ${textOf(one.right)})`;
}

function listText(list: readonly number[]): string {
  return `[${list.join(', ')}]`;
}

/** Laws: an expression of the same value in other words, as far down as they go. */
export function inOtherWords(one: Expression): Expression {
  switch (one.is) {
    case 'not':
      return deMorgan(one.of) ?? { is: 'choice', when: inOtherWords(one.of), left: NEVER, right: ALWAYS };
    case 'negative':
      return { is: '-', left: { is: 'number', value: 0 }, right: inOtherWords(one.of) };
    case 'choice':
      return {
        is: 'choice',
        when: negated(inOtherWords(one.when)),
        left: inOtherWords(one.right),
        right: inOtherWords(one.left),
      };
    case 'string':
    case 'size':
    case 'in':
    case 'item':
    case 'exists':
    case 'all':
      return { ...one, of: folded(one.of) };
    case '&&':
    case '||':
    case '==':
    case '!=':
    case '*':
      return { is: one.is, left: inOtherWords(one.right), right: inOtherWords(one.left) };
    case '<':
    case '<=':
    case '>':
    case '>=':
      return { is: MIRROR[one.is], left: inOtherWords(one.right), right: inOtherWords(one.left) };
    case 'number':
    case 'text':
      return one;
    case 'boolean':
      return negated({ is: 'boolean', value: !one.value });
    case '+':
    case '-':
    case '/':
    case '%':
    case 'contains':
    case 'startsWith':
    case 'endsWith':
      break;
  }
  return { is: one.is, left: folded(one.left), right: folded(one.right) };
}

const NEVER: Expression = { is: 'boolean', value: false };
const ALWAYS: Expression = { is: 'boolean', value: true };
const MIRROR = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;

function negated(of: Expression): Expression {
  return { is: 'not', of };
}

function deMorgan(one: Expression): Expression | undefined {
  if (one.is !== '&&' && one.is !== '||') return undefined;
  const is = one.is === '&&' ? '||' : '&&';
  return { is, left: negated(inOtherWords(one.left)), right: negated(inOtherWords(one.right)) };
}

/** A constant in place of what it was computed from. */
function folded(one: Expression): Expression {
  const value = valueOf(one);
  if (typeof value === 'number') return { is: 'number', value };
  if (typeof value === 'string') return { is: 'text', value };
  return value === FAILS ? inOtherWords(one) : { is: 'boolean', value };
}
