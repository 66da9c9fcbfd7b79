import { expect, test } from 'vitest';
import { recallDurations, slowOnes } from '../../schedule/past-durations.ts';

test('slow are those above the limit once what the machine took away is taken off, the slowest first', () => {
  const results = [
    { id: 'quick', durationMs: 100 },
    { id: 'slow', durationMs: 900 },
    { id: 'slower', durationMs: 4000, stretch: 2 },
    { id: 'only-stretched', durationMs: 4000, stretch: 8 },
  ];
  expect([...slowOnes(results)]).toEqual([
    ['slower', 2000],
    ['slow', 900],
  ]);
});

test('a machine that knows nothing takes what the package says', () => {
  const stranger = { implementation: { name: 'never run here' }, file: '/nowhere/implementation.yaml' };
  const past = recallDurations(stranger);
  expect(past.size).toBeGreaterThan(10);
  expect([...past.values()].every((ms) => ms >= 700)).toBe(true);
});
