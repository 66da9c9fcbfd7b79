import { describe, expect, it } from 'vitest';
import {
  countHealthy,
  countUnhealthy,
  type EvictionTerms,
  isEvicted,
  score,
  unknownHealth,
} from '../../../upstream/health/endpoint-health.ts';

const terms = (more: Partial<EvictionTerms> = {}): EvictionTerms => ({
  duration: 1000,
  restore: undefined,
  consecutiveFailures: undefined,
  healthThreshold: undefined,
  ...more,
});

describe('the health of an endpoint', () => {
  it('is an average that counts the newest answer for three tenths (HEALTH-019)', () => {
    const state = unknownHealth();
    countUnhealthy(state, undefined, 0);
    expect(state.health).toBeCloseTo(0.7);
    countUnhealthy(state, undefined, 0);
    expect(state.health).toBeCloseTo(0.49);
    countHealthy(state, 0.2);
    expect(state.health).toBeCloseTo(0.643);
    expect(state.latency).toBeCloseTo(0.2);
    countHealthy(state, 0.1);
    expect(state.latency).toBeCloseTo(0.17);
  });

  it('is compared with the threshold as it was before the answer', () => {
    const state = unknownHealth();
    countUnhealthy(state, terms({ healthThreshold: 0.8 }), 0);
    expect(isEvicted(state, 0)).toBe(false);
    countUnhealthy(state, terms({ healthThreshold: 0.8 }), 0);
    expect(isEvicted(state, 0)).toBe(true);
  });

  it('makes the score, together with latency and what is under way', () => {
    expect(score(unknownHealth())).toBe(1);
    expect(score({ ...unknownHealth(), health: 0.5, latency: 1 })).toBe(0.25);
    expect(score({ ...unknownHealth(), latency: 1, pending: 10 })).toBeCloseTo(1 / 3);
    expect(score({ ...unknownHealth(), pending: 10 })).toBe(1);
  });
});

describe('an eviction', () => {
  it('lasts as many times the duration as there were since the last healthy answer (HEALTH-009)', () => {
    const state = unknownHealth();
    countUnhealthy(state, terms(), 0);
    expect([isEvicted(state, 999), isEvicted(state, 1000)]).toEqual([true, false]);
    countUnhealthy(state, terms(), 1000);
    expect([isEvicted(state, 2999), isEvicted(state, 3000)]).toEqual([true, false]);
    countHealthy(state, 0);
    countUnhealthy(state, terms(), 3000);
    expect([isEvicted(state, 3999), isEvicted(state, 4000)]).toEqual([true, false]);
  });

  it('is not made longer by what fails meanwhile', () => {
    const state = unknownHealth();
    countUnhealthy(state, terms(), 0);
    countUnhealthy(state, terms(), 500);
    expect([state.evictions, isEvicted(state, 1000)]).toEqual([1, false]);
  });

  it('leaves the health as it was, or as restore says (HEALTH-015, HEALTH-016)', () => {
    const kept = unknownHealth();
    countUnhealthy(kept, terms(), 0);
    isEvicted(kept, 1000);
    expect(kept.health).toBeCloseTo(0.7);
    const restored = unknownHealth();
    countUnhealthy(restored, terms({ restore: 0 }), 0);
    expect(restored.health).toBeCloseTo(0.7);
    isEvicted(restored, 1000);
    expect(restored.health).toBe(0);
    countHealthy(restored, 0);
    expect(restored.health).toBeCloseTo(0.3);
  });
});
