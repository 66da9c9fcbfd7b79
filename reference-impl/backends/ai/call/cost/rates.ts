import type { CatalogModel, ModelCatalog, Rates } from '../../../../resources/model-catalog.ts';

/**
 * What one model of a provider costs, in the first of `models` that a catalog knows. Of several catalogs that know a
 * model the last one counts, with everything it says about it.
 */
export function modelPrice(
  catalogs: readonly ModelCatalog[],
  provider: string,
  models: readonly (string | undefined)[],
): CatalogModel | undefined {
  for (const name of models) {
    if (name === undefined) continue;
    const known = catalogs.findLast(({ providers }) => providers.get(provider)?.has(name));
    const price = known?.providers.get(provider)?.get(name);
    if (price !== undefined) return price;
  }
  return undefined;
}

/** The rates of a request with so many tokens of context, cache and audio included. */
export function ratesFor({ rates, tiers }: CatalogModel, context: number): Rates {
  return tiers.findLast(({ contextOver }) => context > contextOver)?.rates ?? rates;
}
