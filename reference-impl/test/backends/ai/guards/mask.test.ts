import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mask, mergeSpans, type MaskRule } from '../../../../backends/ai/guards/mask.ts';
import { workBudget } from '../../../../backends/ai/guards/work.ts';
import { Cancellation } from '../../../../base/cancellation.ts';

/** Hides every run of one letter. */
function runsOf(letter: string, token: string): MaskRule {
  return {
    token,
    find: (text) =>
      [...text.matchAll(new RegExp(`${letter}+`, 'g'))].map(({ 0: run, index }) => ({
        start: index,
        end: index + run.length,
      })),
  };
}

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd', 'x'), maxLength: 40 });

const work = workBudget(new Cancellation());

describe('mask', () => {
  test('a rule sees what the rules before it left', async () => {
    const { text: told } = await mask('aab', [runsOf('a', 'b'), runsOf('b', '<b>')], work);
    expect(told).toBe('<b>');
  });

  test('does what replacing one rule after the other does', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (original) => {
        const { text: told } = await mask(original, [runsOf('a', '<bx>'), runsOf('b', 'c'), runsOf('c', '')], work);
        const expected = original.replaceAll(/a+/g, '<bx>').replaceAll(/b+/g, 'c').replaceAll(/c+/g, '');
        expect(told).toBe(expected);
      }),
    );
  });

  test('knows where every character comes from, and what is hidden', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (original) => {
        const { text: told, origins, hidden } = await mask(original, [runsOf('a', '<bx>'), runsOf('b', '-')], work);
        const seen = told.split('').map((_, index) => origins?.[index] ?? index);
        expect(seen).toEqual(seen.toSorted((a, b) => a - b));
        const kept = told
          .split('')
          .filter(
            (_, index) => !hidden.some(({ start, end }) => start <= (seen[index] ?? 0) && (seen[index] ?? 0) < end),
          );
        const left = original
          .split('')
          .filter((_, index) => !hidden.some(({ start, end }) => start <= index && index < end));
        expect(kept.join('')).toBe(left.join(''));
      }),
    );
  });
});

test('overlapping spans become one, empty ones none', () => {
  const spans = [
    { start: 4, end: 6 },
    { start: 0, end: 2 },
    { start: 1, end: 3 },
    { start: 9, end: 9 },
    { start: 6, end: 7 },
  ];
  expect(mergeSpans(spans)).toEqual([
    { start: 0, end: 3 },
    { start: 4, end: 6 },
    { start: 6, end: 7 },
  ]);
});
