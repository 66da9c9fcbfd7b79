import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkClauses } from '../../clauses/check.ts';
import type { CheckContext } from '../../clauses/check.ts';
import { unknownCitations } from '../../clauses/citations.ts';
import { coverage, formatCoverage } from '../../clauses/coverage.ts';
import type { CitingCase } from '../../clauses/coverage.ts';
import { readLevels, readLintRegister } from '../../clauses/levels.ts';
import { levelOf, loadRegister } from '../../clauses/register.ts';
import type { Clause, Register } from '../../clauses/register.ts';
import { packageRoot } from '../../values/package-root.ts';

const folder = path.join(packageRoot(), 'docs/spec');

describe('the register of this repository', () => {
  test('holds every clause that was ever given an id, each in an area', async () => {
    const register = await loadRegister(folder);
    expect(register.clauses.size).toBeGreaterThan(1200);
    expect([...register.clauses.keys()].toSorted()).toEqual([...register.locked].toSorted());
    const areas = new Set(register.areas.map(({ area }) => area));
    expect(
      [...register.clauses.values()].filter(({ area, id }) => !areas.has(area) || !id.startsWith(`${area}-`)),
    ).toEqual([]);
  });

  test('gives the quick reader the same levels as the whole one', async () => {
    const [register, levels] = await Promise.all([loadRegister(folder), readLevels(folder.concat('/clauses'))]);
    expect([...levels].map(([id, { level }]) => `${id} ${level}`)).toEqual(
      [...register.clauses.values()].map(({ id, level }) => `${id} ${level}`),
    );
    const quick = await readLintRegister(folder);
    expect(quick.features.map(({ id }) => id)).toEqual(register.features.map(({ id }) => id));
    expect(quick.openPoints.map(({ id }) => id)).toEqual(register.openPoints.map(({ id }) => id));
  });
});

function clause(id: string, level: Clause['level'], area = 'AAA'): Clause {
  return {
    id,
    level,
    area,
    statement: 's',
    source: { document: 'CFG', section: 's', line: 1 },
    observable: [],
    peers: [],
    negative: 'n',
  };
}

const clauses = [
  clause('AAA-001', 'MUST'),
  clause('AAA-002', 'DEFAULT'),
  clause('AAA-003', 'MAY'),
  clause('AAA-004', 'UNSPECIFIED'),
  clause('BBB-001', 'MUST', 'BBB'),
];

const numbers = Array.from({ length: 123 }, (_, index) => `X-${String(index + 1).padStart(3, '0')}`);

const register: Register = {
  clauses: new Map(clauses.map((entry) => [entry.id, entry])),
  areas: [
    { area: 'AAA', title: 'A', status: 'done', cases: 'a' },
    { area: 'BBB', title: 'B', status: 'later', cases: 'b' },
  ],
  openPoints: [{ id: 'U-001', where: 'CFG 1', question: '?', suite: 'observe' }],
  contradictions: [],
  reasons: [],
  constraints: numbers.map((id) => ({ id, rule: 'r', level: 'admission', reason: 'later-issue' })),
  features: [],
  sources: [],
  locked: clauses.map(({ id }) => id),
};

function citing(id: string, level: CitingCase['level'], ...cited: readonly string[]): CitingCase {
  const citations = cited.map((text) => ({
    id: text.slice(1),
    as: text.startsWith('+') ? ('positive' as const) : ('negative' as const),
  }));
  return { id, baseId: id, file: 'c.yaml', level, clauses: citations, kills: [], assumes: [] };
}

const complete = [citing('c.one', 'must', '+AAA-001', '-AAA-001', '+AAA-002', '-AAA-002')];

function check(over: Partial<CheckContext> = {}, spec: Partial<Register> = {}): readonly string[] {
  return checkClauses({ register: { ...register, ...spec }, cases: complete, defects: [], citations: [], ...over });
}

describe('checkClauses', () => {
  test('has nothing to say about a complete area', () => {
    expect(check()).toEqual([]);
  });

  test.each<readonly [string, readonly string[], readonly string[]]>([
    [
      'a polarity without a case',
      check({ cases: [citing('c', 'must', '+AAA-001', '-AAA-001', '+AAA-002')] }),
      ['AAA-002 has no negative case and no reason, and AAA is done'],
    ],
    [
      'a polarity that is only observed',
      check({ cases: [citing('c', 'must', '+AAA-001', '-AAA-001', '+AAA-002'), citing('d', 'observe', '-AAA-002')] }),
      ['AAA-002 has no negative case and no reason, and AAA is done'],
    ],
    [
      'a reason where there is a case',
      check({}, { reasons: [{ clause: 'AAA-001', polarity: 'both', reason: 'not-observable' }] }),
      [
        'docs/spec/reasons.yaml: AAA-001 has a positive case, so it needs no reason',
        'docs/spec/reasons.yaml: AAA-001 has a negative case, so it needs no reason',
      ],
    ],
    [
      'a case that gates an open question',
      check({ cases: [...complete, citing('g', 'must', '+AAA-004')] }),
      ['c.yaml: g gates AAA-004, which is UNSPECIFIED'],
    ],
    [
      'an id that is gone',
      check({}, { locked: [...register.locked, 'AAA-009'] }),
      ['AAA-009 was given once and is gone; ids are for ever'],
    ],
    [
      'an id that is not locked',
      check({}, { locked: register.locked.slice(1) }),
      ['AAA-001 is not in docs/spec/ids.lock; add it'],
    ],
    [
      'a defect with an unknown clause',
      check({ defects: [{ id: 'd', clauses: ['AAA-099'], file: 'g.yaml' }] }),
      ['g.yaml: defect d cites unknown clause AAA-099'],
    ],
    [
      'a citation of an unknown id',
      check({ citations: [{ file: 'x.ts', line: 3, id: 'AAA-099' }] }),
      ['x.ts:3 unknown id AAA-099'],
    ],
  ])('finds %s', (_, found, expected) => {
    expect(found).toEqual(expected);
  });

  test('a reason excuses the polarity it names and no other', () => {
    const cases = [citing('c', 'must', '+AAA-001', '-AAA-001')];
    const reasons = [{ clause: 'AAA-002', polarity: 'negative', reason: 'polarity-empty' }] as const;
    expect(check({ cases }, { reasons: [...reasons] })).toEqual([
      'AAA-002 has no positive case and no reason, and AAA is done',
    ]);
  });
});

test('only ids of areas of the register are citations', () => {
  const places = ['AAA-001', 'AAA-009', 'SHA-256', 'U-001', 'U-002', 'A-001'].map((id) => ({ file: 'x', line: 1, id }));
  expect(unknownCitations(places, register).map(({ id }) => id)).toEqual(['AAA-009', 'U-002', 'A-001']);
});

test('coverage counts MUST and DEFAULT clauses with gating cases', () => {
  const result = coverage(register, [
    citing('c', 'must', '+AAA-001', '-AAA-001', '+AAA-002'),
    citing('d', 'should', '+AAA-003'),
  ]);
  expect(result.areas).toEqual({
    AAA: { clauses: 2, positive: 2, negative: 1, reasons: 0, missing: ['AAA-002'] },
    BBB: { clauses: 1, positive: 0, negative: 0, reasons: 0, missing: ['BBB-001'] },
  });
  expect(formatCoverage(result, register).split('\n')[1]).toMatch(/^AAA +done +2 +2 +1 +0 +1 +AAA-002$/);
});

test.each([
  [['AAA-001', 'AAA-002'], 'must'],
  [['AAA-001', 'AAA-003'], 'should'],
  [['AAA-003', 'AAA-004'], 'observe'],
  [['ZZZ-001'], undefined],
])('a case that cites %j has level %s', (ids, level) => {
  expect(
    levelOf(
      register.clauses,
      ids.map((id) => ({ id })),
    ),
  ).toBe(level);
});
