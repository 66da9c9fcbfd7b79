import { z } from 'zod';

/** What models cost: the text of a model catalog, as docs/decisions/llm-cost.md describes it. */
export interface ModelCatalog {
  readonly providers: ReadonlyMap<string, ReadonlyMap<string, CatalogModel>>;
}

export interface CatalogModel {
  readonly rates: Rates;
  /** By rising `contextOver`. */
  readonly tiers: readonly Tier[];
}

/** Rates of requests whose context has more than so many tokens; none of the model's own counts for them. */
export interface Tier {
  readonly contextOver: number;
  readonly rates: Rates;
}

/** What tokens are billed as. */
export const RATE_NAMES = [
  'input',
  'output',
  'cacheRead',
  'cacheWrite',
  'reasoning',
  'inputAudio',
  'outputAudio',
] as const;
export type RateName = (typeof RATE_NAMES)[number];

/** Millionths of a dollar per million tokens: no rate has more decimals, so sums of whole numbers are exact. */
export type Rates = Readonly<Partial<Record<RateName, bigint>>>;

/** Decimals a rate may have. */
export const RATE_DECIMALS = 6;

export type ParsedCatalog =
  | { readonly ok: true; readonly catalog: ModelCatalog }
  | { readonly ok: false; readonly problem: string };

/** Reads a catalog. One wrong entry makes the whole text invalid; `problem` says where it is. */
export function parseModelCatalog(text: string): ParsedCatalog {
  const json = parsedJson(text);
  if (json === undefined) return { ok: false, problem: 'not JSON' };
  const { success, data, error } = catalog.safeParse(json);
  if (!success) return { ok: false, problem: problemOf(error) };
  const providers = Object.entries(data.providers).map(([name, { models }]) => [name, modelsOf(models)] as const);
  return { ok: true, catalog: { providers: new Map(providers) } };
}

const rate = z
  .string()
  .regex(/^\d{1,12}(\.\d{1,6})?$/, 'not a decimal number as text, with up to six decimals')
  .transform(millionths);

const optionalRate = rate.exactOptional();

const rates = z.object({
  input: optionalRate,
  output: optionalRate,
  cacheRead: optionalRate,
  cacheWrite: optionalRate,
  reasoning: optionalRate,
  inputAudio: optionalRate,
  outputAudio: optionalRate,
} satisfies Record<RateName, typeof optionalRate>);

const tiers = z
  .array(z.object({ contextOver: z.int().min(0), rates }))
  .refine(
    (list) => list.every(({ contextOver }, at) => contextOver > (list[at - 1]?.contextOver ?? -1)),
    'contextOver does not rise from tier to tier',
  );

const model = z.object({ rates: rates.default({}), tiers: tiers.default([]) });

const catalog = z.object({
  providers: z.record(z.string(), z.object({ models: z.record(z.string(), model).default({}) })),
});

function millionths(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(RATE_DECIMALS, '0'));
}

function modelsOf(models: Readonly<Record<string, CatalogModel>>): ReadonlyMap<string, CatalogModel> {
  return new Map(Object.entries(models));
}

function problemOf({ issues }: z.ZodError): string {
  const { path = [], message = 'invalid' } = issues[0] ?? {};
  return path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`;
}

function parsedJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined; // the caller says so
  }
}
