import { describe, expect, test } from 'vitest';
import { acceptedGaps } from '../../ablate/accepted-gaps.ts';
import { operatorTable } from '../../ablate/operator-table.ts';
import { falsify, OPERATOR_NAMES } from '../../ablate/operators.ts';
import type { AblatedField } from '../../ablate/run-ablation.ts';

describe('operators', () => {
  test.each([
    ['one-more', 3, 4],
    ['one-less', 3, 2],
    ['one-less', 0, undefined],
    ['one-more', '3s', undefined],
    ['double', 3, 6],
    ['double', 0, undefined],
    ['one-more', [500, 502], [501, 503]],
    ['one-more', ['a'], undefined],
    ['double', 0.5, 1],
    ['double', '40ms', '80ms'],
    ['double', "'2s'", "'4s'"],
    ['double', "duration('2s')", "duration('4s')"],
    ['halve', 5, 2],
    ['halve', 0.5, 0.25],
    ['halve', 0, undefined],
    ['halve', '2s', '1s'],
    ['halve', '1s', '500ms'],
    ['halve', '1h', '30m'],
    ['halve', '1Ki', '512'],
    ['halve', '1ms', undefined],
    ['halve', '0s', undefined],
    ['double', '1Ki', '2Ki'],
    ['double', '8', '16'],
    ['double', '0s', undefined],
    ['other-unit', '8', undefined],
    ['double', 'text', undefined],
    ['drop-first', ['a', 'b', 'c'], ['b', 'c']],
    ['drop-last', ['a', 'b', 'c'], ['a', 'b']],
    ['drop-last', ['a'], undefined],
    ['drop-middle', ['a', 'b', 'c'], ['a', 'c']],
    ['drop-middle', ['a', 'b'], undefined],
    ['drop-middle', { a: 1, b: 2, c: 3 }, { a: 1, c: 3 }],
    ['drop-first', { a: 1, b: 2 }, { b: 2 }],
    ['drop-last', { a: 1, b: 2 }, { a: 1 }],
    ['reverse', ['a', 'b'], ['b', 'a']],
    ['reverse', { a: 1, b: 2 }, undefined],
    ['other-unit', '40ms', '40s'],
    ['other-unit', '2h', '2m'],
    ['other-unit', '1Ki', '1Mi'],
    ['other-unit', 'Minutes', 'Hours'],
    ['other-unit', 'Hours', 'Minutes'],
    ['other-unit', 5, undefined],
    ['other-unit', 's', undefined],
  ] as const)('%s makes of %j %j', (operator, value, wanted) => {
    expect(falsify(value, operator)).toEqual(wanted);
  });
});

describe('the table of a run with operators', () => {
  const field: AblatedField = {
    kind: 'ProxyPolicy',
    path: 'spec.a',
    noticedBy: ['x'],
    usedBy: ['x', 'y'],
    ablated: [
      { how: 'double', noticedBy: ['x'], usedBy: ['x'] },
      { how: 'reverse', noticedBy: [], usedBy: ['x'] },
      { how: 'drop-last', noticedBy: [], usedBy: ['x', 'y'] },
    ],
  };
  const gap = {
    field: 'ProxyPolicy spec.a',
    operators: ['double', 'reverse'],
    reason: 'order-free',
    note: 'n',
  } as const;

  test('counts, lists what nobody notices without a reason, and reasons that are not needed', () => {
    const outcome = { fields: [field], share: 1, foreign: [], redAnyway: [] };
    const table = operatorTable(outcome, [{ ...gap, operators: [...gap.operators] }]);
    expect(table).toContain('no case notices:\n  ProxyPolicy spec.a  drop-last  (x and 1 more)');
    expect(table).toContain('has a reason:\n  ProxyPolicy spec.a  double  (x)');
    expect(table).toContain('1 of 3 operators noticed (33.3 %), 1 more have a reason');
    expect(table).toContain('1 of 2 that leave another meaning (50.0 %)');
    expect(table).toContain('1 of 2 without those that have a reason (50.0 %)');
  });

  test('a value that is open to the documents has another meaning all the same', () => {
    const outcome = { fields: [field], share: 1, foreign: [], redAnyway: [] };
    const table = operatorTable(outcome, [{ ...gap, operators: ['reverse'], reason: 'open' }]);
    expect(table).toContain('1 of 3 that leave another meaning (33.3 %)');
  });
});

test('each accepted gap is there once, with a reason of the list', () => {
  const all = acceptedGaps().flatMap(({ field, operators }) => operators.map((operator) => `${field} ${operator}`));
  expect(all).toEqual([...new Set(all)]);
  expect(OPERATOR_NAMES).toHaveLength(9);
});
