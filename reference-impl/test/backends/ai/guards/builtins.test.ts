import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BUILTINS, type Builtin } from '../../../../backends/ai/guards/builtins.ts';
import { mask, type Work } from '../../../../backends/ai/guards/mask.ts';
import { workBudget } from '../../../../backends/ai/guards/work.ts';
import { Cancellation } from '../../../../base/cancellation.ts';

function work(): Work {
  return workBudget(new Cancellation());
}

async function masked(text: string, builtin: Builtin): Promise<string> {
  return (await mask(text, [BUILTINS[builtin]], work())).text;
}

/** Shapes of docs/decisions/prompt-guard.md; what is not to be hidden stands in the second list. */
const SHAPES: readonly (readonly [Builtin, readonly string[], readonly string[]])[] = [
  [
    'Ssn',
    ['123-45-6789', '123 45 6789', '123.45.6789', '123456789', '12345-6789', '123-456789', '000-00-0000'],
    ['12-345-6789', '1234567890', '123-45-67890', 'a123456789', '123/45/6789', '12345678'],
  ],
  [
    'CreditCard',
    [
      '4111 1111 1111 1111',
      '4111-1111-1111-1112',
      '5500000000000004',
      '378282246310005',
      '6011 0000 0000 0004',
      '17000000000000',
    ],
    [
      '5600 0000 0000 0004',
      '2111 1111 1111 1111',
      '4111 1111',
      '1700000000000',
      '4111  1111 1111 1111',
      'x4111111111111111',
    ],
  ],
  [
    'Email',
    ['jane.doe+x@mail.example.com', 'a@b.c', '_@x-y.example', 'Ü.a@b.de'.slice(2)],
    ['jane at example.com', '@jane', 'jane@localhost', 'jane@.com', 'a@b c.d'],
  ],
  [
    'CaSin',
    ['046-454-286', '046 454 286', '046454286', '000 000-000'],
    ['046.454.286', '046-45-4286', '0464542860', '46-454-286'],
  ],
  [
    'PhoneNumber',
    ['212-555-2368', '(212) 555-2368', '+44 20 7946 0958', '+49 30 901820', '+1 415 555 2671', '+33 1 42 68 53 00'],
    ['12345', '1-2-3', '000 000 0000', '4111 1111 1111 1111', '1 2 3 4 5'],
  ],
];

describe.each(SHAPES)('%s', (builtin, hidden, kept) => {
  test.each(hidden)('hides %s', async (text) => {
    const token = BUILTINS[builtin].token;
    expect(await masked(`it is ${text}, and ${text}!`, builtin)).toBe(`it is ${token}, and ${token}!`);
  });

  test.each(kept)('leaves %s', async (text) => {
    expect(await masked(`it is ${text}, yes`, builtin)).toBe(`it is ${text}, yes`);
  });

  test('finds spans in order that do not overlap, whatever the text', async () => {
    const texts = fc.string({ unit: fc.constantFrom(...'0123456789+-(). @a.Ü\n'.split('')), maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        let end = 0;
        for (const span of await BUILTINS[builtin].find(text, work())) {
          expect(span.start).toBeGreaterThanOrEqual(end);
          expect(span.end).toBeGreaterThan(span.start);
          end = span.end;
        }
        expect(end).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 50 },
    );
  });
});

describe('two telephone numbers in a row', () => {
  test('are two', async () => {
    expect(await masked('212-555-2368 415-555-2671', 'PhoneNumber')).toBe('<PHONE_NUMBER> <PHONE_NUMBER>');
  });
});

describe('an address right behind another', () => {
  test('is one too', async () => {
    expect(await masked('a@b.c_d@e.f', 'Email')).toBe('<EMAIL_ADDRESS><EMAIL_ADDRESS>');
  });
});

test('a text made of nearly-addresses takes no longer than another', async () => {
  const text = `${'a'.repeat(500_000)} ${'a@'.repeat(250_000)} ${'@'.repeat(100_000)}`;
  expect(await masked(text, 'Email')).toBe(text);
}, 2000);
