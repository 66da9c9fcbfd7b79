import fc from 'fast-check';
import { expect, test } from 'vitest';
import { costOf } from '../../../../../backends/ai/call/cost/cost.ts';
import { modelPrice } from '../../../../../backends/ai/call/cost/rates.ts';
import { parseModelCatalog, type ModelCatalog, type Rates } from '../../../../../resources/model-catalog.ts';

const count = fc.nat({ max: 2_000_000_000 });
const rate = fc.nat({ max: 2_000_000_000 }).map(BigInt);
const usage = fc.record({
  inputTokens: count,
  outputTokens: count,
  totalTokens: count,
  cachedInputTokens: count,
  cacheCreationInputTokens: count,
  reasoningTokens: count,
  inputAudioTokens: count,
  outputAudioTokens: count,
});

test('with one rate for everything the cost is that of all tokens, exactly, wherever the parts fit into the whole', () => {
  fc.assert(
    fc.property(usage, rate, (given, same) => {
      const input = given.cachedInputTokens + given.cacheCreationInputTokens + given.inputAudioTokens;
      const output = given.reasoningTokens + given.outputAudioTokens;
      const whole = { ...given, inputTokens: given.inputTokens + input, outputTokens: given.outputTokens + output };
      const rates: Rates = { input: same, output: same, cacheRead: same, cacheWrite: same, reasoning: same };
      const exact = BigInt(whole.inputTokens + whole.outputTokens) * same;
      const digits = exact.toString().padStart(13, '0');
      expect(costOf(whole, rates)?.total).toBe(Number(`${digits.slice(0, -12)}.${digits.slice(-12)}`));
    }),
  );
});

test('nothing that a provider reports makes a cost negative, or fails', () => {
  const odd = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer());
  fc.assert(
    fc.property(odd, odd, odd, (inputTokens, cachedInputTokens, outputTokens) => {
      const given = { inputTokens, cachedInputTokens, outputTokens, totalTokens: 0 };
      expect(costOf(given, { input: 3n, output: 5n, cacheRead: 1n })?.total).toBeGreaterThanOrEqual(0);
    }),
  );
});

function catalog(text: string): ModelCatalog {
  const parsed = parseModelCatalog(text);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.catalog;
}

test('of two catalogs that know a model the last one counts, and each counts for what it alone knows', () => {
  const both = [
    catalog('{"providers":{"p":{"models":{"m":{"rates":{"input":"1"}},"n":{"rates":{"input":"2"}}}}}}'),
    catalog('{"providers":{"p":{"models":{"m":{"rates":{"output":"3"}}}}}}'),
  ];
  expect(modelPrice(both, 'p', ['m'])?.rates).toEqual({ output: 3_000_000n });
  expect(modelPrice(both, 'p', [undefined, 'n'])?.rates).toEqual({ input: 2_000_000n });
  expect(modelPrice(both, 'q', ['m'])).toBeUndefined();
  expect(modelPrice(both, 'p', ['constructor'])).toBeUndefined();
});
