import fc from 'fast-check';

/** Every property of a parser is also drawn from these seeds, so that what was red once is tried again on every machine. */
const SEEDS = [1, 20_261_123, 1_037_332_080] as const;
/** Draws from each seed. */
const DRAWS = 300;

/** Fails with the smallest example that contradicts the property. `fuzz-parsers.ts` has it drawn for a time instead of a number of draws. */
export function holds<Values extends [unknown, ...unknown[]]>(
  property: fc.IProperty<Values>,
  parameters: fc.Parameters<Values> = {},
): void {
  for (const seed of SEEDS) fc.assert(property, { seed, numRuns: DRAWS });
  const { numRuns = parameters.numRuns ?? DRAWS } = fc.readConfigureGlobal();
  fc.assert(property, { ...parameters, numRuns });
}
