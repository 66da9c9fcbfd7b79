/** What is known of one endpoint. Times are milliseconds of the monotonic clock. */
export interface EndpointHealth {
  /** 0 to 1, an average that forgets; 1 when nothing is known. */
  health: number;
  /** Seconds to the head of an answer, averaged likewise over healthy answers; 0 when nothing is known. */
  latency: number;
  /** Requests under way. */
  pending: number;
  /** Unhealthy answers in a row. */
  failures: number;
  /** Evictions since the last healthy answer. */
  evictions: number;
  /** Set while the endpoint rests. */
  eviction: { readonly until: number; readonly restore: number | undefined } | undefined;
}

/** When an endpoint is evicted, and for how long. */
export interface EvictionTerms {
  /** Milliseconds of the first eviction. */
  readonly duration: number;
  /** Health after the rest, 0 to 1; undefined keeps what it was. */
  readonly restore: number | undefined;
  readonly consecutiveFailures: number | undefined;
  /** 0 to 1 */
  readonly healthThreshold: number | undefined;
}

export function unknownHealth(): EndpointHealth {
  return { health: 1, latency: 0, pending: 0, failures: 0, evictions: 0, eviction: undefined };
}

/** HEALTH-011: one healthy answer, and what was counted against the endpoint is forgotten. `latency` in seconds. */
export function countHealthy(state: EndpointHealth, latency: number): void {
  state.health = movingAverage(state.health, 1);
  state.latency = state.latency === 0 ? latency : movingAverage(state.latency, latency);
  state.failures = 0;
  state.evictions = 0;
}

/** HEALTH-002, HEALTH-003; HEALTH-004: without terms an endpoint is not evicted. */
export function countUnhealthy(state: EndpointHealth, terms: EvictionTerms | undefined, now: number): void {
  const before = state.health;
  state.health = movingAverage(state.health, 0);
  state.failures += 1;
  if (terms === undefined || isEvicted(state, now) || !evicts(terms, before, state.failures)) return;
  state.evictions += 1;
  // HEALTH-009
  state.eviction = { until: now + terms.duration * state.evictions, restore: terms.restore };
}

/** HEALTH-006. HEALTH-007: an endpoint whose rest is over is back, HEALTH-015: with the health its policy gives it. */
export function isEvicted(state: EndpointHealth, now: number): boolean {
  const { eviction } = state;
  if (eviction === undefined) return false;
  if (now < eviction.until) return true;
  state.eviction = undefined;
  // HEALTH-016
  state.health = eviction.restore ?? state.health;
  return false;
}

/** The higher the better: healthy, quick, and not busy. */
export function score({ health, latency, pending }: EndpointHealth): number {
  return health / (1 + latency * (1 + PENDING_WEIGHT * pending));
}

const PENDING_WEIGHT = 0.1;

/** HEALTH-013: either is enough. HEALTH-014: where neither is set, anything is. */
function evicts({ consecutiveFailures, healthThreshold }: EvictionTerms, health: number, failures: number): boolean {
  if (consecutiveFailures === undefined && healthThreshold === undefined) return true;
  // HEALTH-010
  if (consecutiveFailures !== undefined && failures >= consecutiveFailures) return true;
  // HEALTH-012
  return healthThreshold !== undefined && health < healthThreshold;
}

const ALPHA = 0.3;

/** HEALTH-019: the newest sample counts for three tenths. */
function movingAverage(average: number, sample: number): number {
  return ALPHA * sample + (1 - ALPHA) * average;
}
