import type { Counters } from './counters.ts';
import type { Asked, Descriptor } from './asked.ts';
import { UNITS } from './script.ts';
import type { Limit, Status } from './script.ts';

/** What the limits say about each descriptor. Every descriptor is counted, also beside one that is over its limit. */
export async function decide(asked: Asked, limits: readonly Limit[], counters: Counters): Promise<readonly Status[]> {
  return Promise.all(asked.descriptors.map((descriptor) => decideOne(descriptor, asked, limits, counters)));
}

async function decideOne(
  descriptor: Descriptor,
  { domain, hitsAddend }: Asked,
  limits: readonly Limit[],
  counters: Counters,
): Promise<Status> {
  const limit = limits.find((candidate) => covers(candidate, domain, descriptor));
  if (limit === undefined) return { code: 'OK' };
  const hits = descriptor.hitsAddend ?? (hitsAddend === 0 ? 1 : hitsAddend);
  const key = JSON.stringify([domain, descriptor.entries, limit.unit]);
  const { count, resetIn } = await counters.add(key, hits, UNITS[limit.unit] * 1000);
  // A question without hits asks whether there is room for one.
  const isOver = hits === 0 ? count >= limit.hits : count > limit.hits;
  return {
    code: isOver ? 'OVER_LIMIT' : 'OK',
    limit: limit.hits,
    unit: limit.unit,
    remaining: Math.max(0, limit.hits - count),
    reset: `${Math.ceil(resetIn)}ms`,
  };
}

function covers(limit: Limit, domain: string, { entries }: Descriptor): boolean {
  if (limit.domain !== undefined && limit.domain !== domain) return false;
  if (entries.length !== Object.keys(limit.entries).length) return false;
  return entries.every(({ key, value }) => {
    const wanted = Object.hasOwn(limit.entries, key) ? limit.entries[key] : undefined;
    return wanted === true || wanted === value;
  });
}
