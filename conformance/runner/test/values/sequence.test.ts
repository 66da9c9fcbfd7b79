import { describe, expect, test } from 'vitest';
import type { Check } from '../../values/check.ts';
import { INVARIANTS, judgeInvariants } from '../../values/invariants.ts';
import { match } from '../../values/match.ts';
import { matchSequence } from '../../values/sequence.ts';

const context = {
  at: ['expect'],
  what: 'trace t',
  mode: 'subset' as const,
  scope: {},
  captures: new Map<string, unknown>(),
};

function events(text: string): readonly unknown[] {
  return text.split(' ').flatMap((type, index) => (type === '' ? [] : [{ type, eventEnd: index }]));
}

function run(expected: readonly unknown[], items: readonly unknown[]): readonly Check[] {
  return matchSequence(expected, items, context, { open: true, match });
}

const [start, route, body, end] = ['start', 'route', 'body', 'end'].map((type) => ({ type }));

describe('an open sequence', () => {
  test.each([
    ['start route end', true],
    ['start other route other end other', true],
    ['route start end', false],
    ['start end', false],
    ['', false],
  ])('of three events against "%s" holds: %s', (text, holds) => {
    expect(run([start, route, end], events(text)).every(({ ok }) => ok)).toBe(holds);
  });

  test.each([
    ['start end', true],
    ['start body end', true],
    // An event that a counted entry describes may not stand elsewhere, nor twice.
    ['start end body', false],
    ['body start end', false],
    ['start body body end', false],
  ])('with an optional event against "%s" holds: %s', (text, holds) => {
    expect(run([start, { '~maybe': body }, end], events(text)).every(({ ok }) => ok)).toBe(holds);
  });

  test.each([
    [0, 'start end', true],
    [0, 'start body end', false],
    [2, 'start body x body end', true],
    [2, 'start body end', false],
  ])('with %i times an event against "%s" holds: %s', (times, text, holds) => {
    expect(run([start, { '~times': times, of: body }, end], events(text)).every(({ ok }) => ok)).toBe(holds);
  });

  test('a repeated entry leaves room for the next one that it also matches', () => {
    const expected = [{ '~times': { '~ge': 1 }, of: { type: { '~re': '.' } } }, end];
    expect(run(expected, events('a b end')).every(({ ok }) => ok)).toBe(true);
  });

  test('the failure says which entry was missed, after what, and what differs', () => {
    const checks = run(
      [start, { type: 'route', name: 'a' }, end],
      [{ type: 'start' }, { type: 'route', name: 'b' }, { type: 'end' }],
    );
    expect(checks.map(({ ok }) => ok)).toEqual([true, false]);
    expect(checks[1]).toMatchObject({ at: ['expect', 1], what: 'trace t entry 2' });
    expect(checks[1]?.actual).toMatch(/^after item 1 start came route, end/);
    expect(checks[1]?.actual).toContain('the next route differs: its.name is "b", not "a"');
  });

  test('captures are kept from the items that were chosen', () => {
    const captures = new Map<string, unknown>();
    matchSequence(
      [{ type: 'route', name: { '~capture': 'n' } }, end],
      [{ type: 'route', name: 'a' }, { type: 'end' }],
      { ...context, captures },
      { open: true, match },
    );
    expect(captures.get('n')).toBe('a');
  });
});

describe('invariants', () => {
  const list = events('start body end');
  test.each([
    [{ nonDecreasing: 'eventEnd' }, list, true],
    [{ nonDecreasing: 'eventEnd' }, [{ eventEnd: 2 }, { eventEnd: 1 }], false],
    [{ nonDecreasing: 'missing' }, list, false],
    [
      { notAfter: ['eventStart', 'eventEnd'] },
      [
        { eventStart: null, eventEnd: 1 },
        { eventStart: 2, eventEnd: 2 },
      ],
      true,
    ],
    [{ notAfter: ['eventStart', 'eventEnd'] }, [{ eventStart: 3, eventEnd: 2 }], false],
    [{ notAfter: ['eventStart', 'eventEnd'] }, [{ eventStart: null, eventEnd: 2 }], false],
    [{ before: ['eventStart', 'eventEnd'], of: 'call' }, [{ type: 'call', eventStart: 2, eventEnd: 3 }], true],
    [{ before: ['eventStart', 'eventEnd'], of: 'call' }, [{ type: 'call', eventStart: 2, eventEnd: 2 }], false],
    [{ before: ['eventStart', 'eventEnd'], of: 'call' }, [{ type: 'call', eventStart: null, eventEnd: 2 }], false],
    [{ before: ['eventStart', 'eventEnd'], of: 'call' }, [{ type: 'other', eventStart: 2, eventEnd: 3 }], false],
    [{ where: { type: 'body' }, has: { eventEnd: 1 } }, list, true],
    [{ where: { type: 'body' }, has: { eventEnd: 2 } }, list, false],
    [{ where: { type: 'nothing' }, has: {} }, list, false],
    [{ first: 'start' }, list, true],
    [{ first: 'end' }, list, false],
    [{ last: 'end' }, list, true],
    [{ last: { type: 'end', eventEnd: 2 } }, list, true],
    [{ last: 'start' }, list, false],
    [{ none: 'other' }, list, true],
    [{ none: 'body' }, list, false],
    [{ count: 1, of: { type: 'body' } }, list, true],
    [{ count: { '~ge': 2 }, of: { type: 'body' } }, list, false],
  ])('%j over %j holds: %s', (invariant, items, holds) => {
    const checks = judgeInvariants([invariant], items, context);
    expect(checks.length).toBeGreaterThan(0);
    expect(checks.every(({ ok }) => ok)).toBe(holds);
  });

  test('an unknown one is an authoring error that lists the known ones', () => {
    expect(() => judgeInvariants([{ sorted: true }], list, context)).toThrow(Object.keys(INVARIANTS).join(', '));
  });
});
