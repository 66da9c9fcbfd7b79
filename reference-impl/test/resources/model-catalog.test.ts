import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseModelCatalog } from '../../resources/model-catalog.ts';

const withModel = (model: unknown): string => JSON.stringify({ providers: { p: { models: { m: model } } } });

describe('a model catalog', () => {
  test('has its rates in millionths of a dollar', () => {
    const parsed = parseModelCatalog(withModel({ rates: { input: '2.5', output: '10', cacheRead: '0.000001' } }));
    expect(parsed.ok && parsed.catalog.providers.get('p')?.get('m')?.rates).toEqual({
      input: 2_500_000n,
      output: 10_000_000n,
      cacheRead: 1n,
    });
  });

  test.each([
    ['{', 'not JSON'],
    ['[]', 'Invalid input: expected object, received array'],
    [withModel({ rates: { input: 2.5 } }), 'providers.p.models.m.rates.input'],
    [withModel({ rates: { output: '2.0000001' } }), 'providers.p.models.m.rates.output'],
    [withModel({ rates: { output: '-1' } }), 'providers.p.models.m.rates.output'],
    [
      withModel({
        tiers: [
          { contextOver: 5, rates: {} },
          { contextOver: 5, rates: {} },
        ],
      }),
      'providers.p.models.m.tiers',
    ],
    [withModel({ tiers: [{ contextOver: 1.5, rates: {} }] }), 'providers.p.models.m.tiers.0.contextOver'],
  ])('is refused as a whole when a part is wrong: %s', (text, problem) => {
    const parsed = parseModelCatalog(text);
    expect(parsed.ok ? '' : parsed.problem).toContain(problem);
  });

  test('never throws', () => {
    const json = fc.json().map((text) => ({ text }));
    const near = fc.json().map((text) => ({ text: withModel(JSON.parse(text)) }));
    fc.assert(
      fc.property(
        fc.oneof(
          json,
          near,
          fc.string().map((text) => ({ text })),
        ),
        ({ text }) => {
          expect(typeof parseModelCatalog(text).ok).toBe('boolean');
        },
      ),
    );
  });
});
