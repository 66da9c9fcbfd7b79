import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compile } from '../../cel/compile.ts';

/** Generous, for slow machines: what is tested is that nothing takes minutes. */
const LIMIT = 5_000;
const FULL = 16_384;
const TEN = '[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]';

function nested(macro: string, innermost: string): string {
  return `${Array.from({ length: 8 }, (_, level) => `${TEN}.${macro}(x${level}, `).join('')}${innermost}${')'.repeat(8)}`;
}

/** `v0 = start; v1 = v0 + v0; …` forty times. */
function doubling(start: string): string {
  const steps = Array.from(
    { length: 40 },
    (_, step) => `(${step === 0 ? start : `v${step - 1} + v${step - 1}`}).with(v${step}, `,
  );
  return `${steps.join('')}v39.size()${')'.repeat(40)}`;
}

const REFUSED: readonly (readonly [string, string])[] = [
  ['parentheses', `${'('.repeat(8000)}1${')'.repeat(8000)}`],
  ['lists', `${'['.repeat(8000)}1${']'.repeat(8000)}`],
  ['maps', `${'{1:'.repeat(4000)}1${'}'.repeat(4000)}`],
  ['calls', `${'f('.repeat(5000)}1${')'.repeat(5000)}`],
  ['a long sum', `1${'+1'.repeat(8000)}`],
  ['a long selection', `request${'.b'.repeat(8000)}`],
  ['choices', `${'true?1:'.repeat(2000)}1`],
  ['open parentheses', '('.repeat(16_000)],
  ['an open text', `"${'a'.repeat(16_000)}`],
  ['white space before junk', `1${' '.repeat(16_000)}@`],
  ['broken white space before junk', `1${` ${'\t'.repeat(60)}\n`.repeat(250)}@`],
  ['digits', '9'.repeat(16_000)],
  ['more than 16384 characters', `1${' '.repeat(FULL)}`],
];

const OUT_OF_BUDGET: readonly (readonly [string, string])[] = [
  ['loops in loops', nested('all', 'true')],
  ['lists of lists', nested('map', '"aaaa"')],
  ['a doubling text', doubling('"aaaaaaaaaaaaaaaa"')],
  ['a doubling list', doubling('[1, 2]')],
  [
    'replacing by long text',
    `"${'a'.repeat(3000)}".replace("", "${'b'.repeat(3000)}").replace("b", "${'c'.repeat(3000)}").size()`,
  ],
  ['swallowed failures', `[1].map(a, coalesce(${nested('all', 'true')}, 1))`],
  ['encoding again and again', `${'toJson('.repeat(100)}"\\""${')'.repeat(100)}.size()`],
];

describe('hostile expressions end in bounded time', () => {
  test.each(REFUSED)(
    '%s: refused',
    (_, expression) => {
      expect(compile(expression)).toMatchObject({ ok: false });
    },
    LIMIT,
  );

  test.each(OUT_OF_BUDGET)(
    '%s: out of budget',
    (_, expression) => {
      const compiled = compile(expression);
      expect(compiled.ok && compiled.program.evaluate(() => undefined)).toEqual({
        ok: false,
        error: 'the expression does too much work',
      });
    },
    LIMIT,
  );

  test(
    'patterns take time linear in the text',
    () => {
      const text = `"${'a'.repeat(10_000)}!"`;
      for (const pattern of ['^(a+)+$', '^(a|aa)+$', '^(.*a){20}$', '(a*)*b']) {
        const compiled = compile(`${text}.matches("${pattern}")`);
        expect(compiled.ok && compiled.program.evaluate(() => undefined)).toEqual({ ok: true, value: false });
      }
    },
    LIMIT,
  );

  test(
    'an expression of the full length works',
    () => {
      const expression = `"${'a'.repeat(FULL - 9)}" != ""`;
      expect(expression).toHaveLength(FULL - 1);
      const compiled = compile(`${expression} `);
      expect(compiled.ok && compiled.program.evaluate(() => undefined)).toEqual({ ok: true, value: true });
    },
    LIMIT,
  );

  test('nothing makes compiling or evaluating throw', () => {
    const token = fc.constantFrom(
      'request',
      '.',
      'headers',
      '["x"]',
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      ',',
      ':',
      '?',
      '1',
      '1u',
      '-',
      '!',
      '+',
      '/',
      '&&',
      '||',
      '==',
      'in',
      '"a"',
      'b"a"',
      'null',
      'x',
      'map',
      'with',
      'default',
      'has',
      ' ',
      '`',
      '\n',
      '//',
      'r"',
    );
    const expression = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(token, { maxLength: 25 }).map((tokens) => tokens.join('')),
    );
    fc.assert(
      fc.property(expression, fc.jsonValue(), (text, value) => {
        const compiled = compile(text);
        if (compiled.ok) expect(compiled.program.evaluate(() => value)).toHaveProperty('ok');
        else expect(compiled.error.line).toBeGreaterThan(0);
      }),
      { numRuns: 2000 },
    );
  });
});
