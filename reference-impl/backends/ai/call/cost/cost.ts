import { RATE_DECIMALS, RATE_NAMES, type RateName, type Rates } from '../../../../resources/model-catalog.ts';
import type { Usage } from '../../formats/format.ts';

/** Dollars, in all and by what they were paid for; a part no token was billed as is missing. */
export type Cost = Readonly<Partial<Record<RateName | 'total', number>>>;

/** Undefined when the model has no rate for something that was used. Exact: whole numbers until they are shown. */
export function costOf(usage: Usage, rates: Rates): Cost | undefined {
  const billed = billedAs(usage, rates);
  const parts: [RateName | 'total', number][] = [];
  let total = 0n;
  for (const name of RATE_NAMES) {
    const tokens = billed[name];
    if (tokens === 0) continue;
    const rate = rates[name];
    if (rate === undefined) return undefined;
    const part = BigInt(tokens) * rate;
    total += part;
    parts.push([name, dollars(part, COST_DECIMALS)]);
  }
  return Object.fromEntries([['total', dollars(total, COST_DECIMALS)], ...parts]);
}

/** The rates as a catalog writes them: dollars per million tokens. */
export function shownRates(rates: Rates): Readonly<Partial<Record<RateName, number>>> {
  return Object.fromEntries(
    RATE_NAMES.flatMap((name) => {
      const rate = rates[name];
      return rate === undefined ? [] : [[name, dollars(rate, RATE_DECIMALS)]];
    }),
  );
}

/** Every token is billed once. A kind without a rate of its own is plain input, or plain output. */
function billedAs(usage: Usage, rates: Rates): Readonly<Record<RateName, number>> {
  const own = (name: RateName, tokens = 0): number => (rates[name] === undefined ? 0 : whole(tokens));
  const cacheRead = own('cacheRead', usage.cachedInputTokens);
  const cacheWrite = own('cacheWrite', usage.cacheCreationInputTokens);
  const inputAudio = own('inputAudio', usage.inputAudioTokens);
  const reasoning = own('reasoning', usage.reasoningTokens);
  const outputAudio = own('outputAudio', usage.outputAudioTokens);
  return {
    input: rest(usage.inputTokens, cacheRead + cacheWrite + inputAudio),
    output: rest(usage.outputTokens, reasoning + outputAudio),
    cacheRead,
    cacheWrite,
    reasoning,
    inputAudio,
    outputAudio,
  };
}

/** A provider may count a part twice, cached audio for one: what is left is never less than nothing. */
function rest(all: number, parts: number): number {
  return Math.max(0, whole(all) - parts);
}

/** Providers are not believed: no part of a token, and no less than none. */
function whole(tokens: number): number {
  return Math.max(0, Math.trunc(tokens));
}

/** One token at one millionth of a dollar per million tokens. */
const COST_DECIMALS = 12;

/** The number nearest to `amount` with so many of its digits behind the point. */
function dollars(amount: bigint, decimals: number): number {
  const digits = amount.toString().padStart(decimals + 1, '0');
  return Number(`${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`);
}
