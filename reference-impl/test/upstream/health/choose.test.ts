import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { choose } from '../../../upstream/health/choose.ts';
import { type EndpointHealth, unknownHealth } from '../../../upstream/health/endpoint-health.ts';
import type { Candidate } from '../../../upstream/health/register.ts';

function candidate(name: string, health: Partial<EndpointHealth> = {}): Candidate {
  return {
    backend: {
      name,
      key: name,
      type: 'static',
      protocol: 'http',
      endpoints: [],
      policies: { sources: {} },
      mirrors: [],
    },
    health: { ...unknownHealth(), ...health },
  };
}

const evicted = { eviction: { until: 10, restore: undefined } };
const NOBODY: ReadonlySet<EndpointHealth> = new Set();

/** Who is chosen, given the draws. */
function chosen(
  groups: readonly (readonly Candidate[])[],
  draws: readonly number[],
  tried = NOBODY,
): string | undefined {
  const left = [...draws];
  return choose(groups, tried, 0, () => left.shift() ?? 0)?.backend.name;
}

describe('the choice of an endpoint', () => {
  it('takes the better of two draws, which may be the same', () => {
    const group = [candidate('bad', { health: 0.5 }), candidate('good')];
    expect(chosen([group], [0, 0.5])).toBe('good');
    expect(chosen([group], [0.5, 0])).toBe('good');
    expect(chosen([group], [0, 0])).toBe('bad');
  });

  it('goes to another endpoint than before while the group has one that is not evicted', () => {
    const [a, b] = [candidate('a'), candidate('b')];
    expect(chosen([[a, b]], [0, 0], new Set([a.health]))).toBe('b');
    expect(chosen([[a, b]], [0, 0], new Set([a.health, b.health]))).toBe('a');
    expect(chosen([[a], [b]], [0, 0], new Set([a.health]))).toBe('a');
    expect(chosen([[a, candidate('out', evicted)], [b]], [0, 0], new Set([a.health]))).toBe('a');
  });

  it('takes an evicted one of the first group that has any when there is no other (HEALTH-017)', () => {
    expect(chosen([[], [candidate('a', evicted)], [candidate('b', evicted)]], [0, 0])).toBe('a');
    expect(chosen([[], []], [])).toBeUndefined();
  });

  it('never takes an evicted endpoint while there is another, nor one of a later group than it must', () => {
    const group = fc.array(fc.boolean(), { maxLength: 4 });
    fc.assert(
      fc.property(fc.array(group, { maxLength: 4 }), fc.double({ min: 0, max: 0.99, noNaN: true }), (layout, draw) => {
        const groups = layout.map((members, at) =>
          members.map((out) => candidate(`${at}${out ? ' out' : ''}`, out ? evicted : {})),
        );
        const open = layout.findIndex((members) => members.includes(false));
        const any = layout.findIndex((members) => members.length > 0);
        const expected = open >= 0 ? String(open) : any >= 0 ? `${any} out` : undefined;
        expect(chosen(groups, [draw, draw])).toBe(expected);
      }),
    );
  });
});
