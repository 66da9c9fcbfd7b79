import type { Candidate } from './register.ts';
import { type EndpointHealth, isEvicted, score } from './endpoint-health.ts';

/**
 * One of the candidates, given in groups by priority: of the first group in which one is not evicted (PROV-002,
 * PROV-003), and if possible none that this request was sent to before. HEALTH-017: when all are evicted, one of the
 * first group. Undefined when there is none at all.
 */
export function choose(
  groups: readonly (readonly Candidate[])[],
  tried: ReadonlySet<EndpointHealth>,
  now: number,
  random: () => number,
): Candidate | undefined {
  for (const group of groups) {
    const open = group.filter(({ health }) => !isEvicted(health, now));
    if (open.length > 0) return betterOfTwo(preferUntried(open, tried), random);
  }
  const evicted = groups.find((group) => group.length > 0);
  return evicted && betterOfTwo(preferUntried(evicted, tried), random);
}

function preferUntried(candidates: readonly Candidate[], tried: ReadonlySet<EndpointHealth>): readonly Candidate[] {
  if (tried.size === 0) return candidates;
  const fresh = candidates.filter(({ health }) => !tried.has(health));
  return fresh.length > 0 ? fresh : candidates;
}

/** PROV-004, PROV-005: two draws, which may be the same; a failing candidate is kept only where it is drawn twice. */
function betterOfTwo(candidates: readonly Candidate[], random: () => number): Candidate | undefined {
  if (candidates.length < 2) return candidates[0];
  const one = candidates[Math.floor(random() * candidates.length)];
  const other = candidates[Math.floor(random() * candidates.length)];
  if (one === undefined || other === undefined) return one ?? other;
  return score(other.health) > score(one.health) ? other : one;
}
