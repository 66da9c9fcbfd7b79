import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../values/package-root.ts';
import { knownFailure, knownProblems, parseKnownFailures, type KnownFailure } from '../../verdict/known-failures.ts';

const TEXT = `# what we know
- { case: 'a.b*', reason: slow, owner: me, until: 2030-01-01, message: got 500 }
- { case: a.c, reason: gone, owner: me }
- case: a.d
  verdict: unstable
  reason: 'about one in ten'
  owner: me
`;

function entriesOf(text: string, as: 'complete' | 'draft' = 'complete'): readonly KnownFailure[] {
  const read = parseKnownFailures('known.yaml', text, as);
  return 'entries' in read ? read.entries : [];
}

function problemsOf(text: string): readonly string[] {
  const read = parseKnownFailures('known.yaml', text);
  return 'problems' in read ? read.problems : [];
}

const entries = entriesOf(TEXT);

describe('a list of known failures', () => {
  test('says what is listed, as what, and where', () => {
    expect(entries.map(({ case: id, verdict, place }) => [id, verdict, place])).toEqual([
      ['a.b*', 'fail', 'known.yaml:2:3'],
      ['a.c', 'fail', 'known.yaml:3:3'],
      ['a.d', 'unstable', 'known.yaml:4:3'],
    ]);
  });

  test('may be empty', () => {
    expect(entriesOf('# nothing is known\n')).toEqual([]);
    expect(problemsOf('# nothing is known\n')).toEqual([]);
  });

  test.each(['nginx', 'envoy', 'fastmcp'])('of %s can be read', (name) => {
    const file = path.join(packageRoot(), 'examples', name, 'known-failures.yaml');
    expect(parseKnownFailures(file, readFileSync(file, 'utf8'))).toHaveProperty('entries.0.verdict', 'fail');
  });

  test.each([
    ['without a reason', '- case: a\n  owner: o\n', 'known.yaml:1:3 0.reason: required, expected string'],
    [
      'with an empty reason',
      "- case: a\n  reason: ''\n  owner: o\n",
      'known.yaml:2:11 0.reason: Too small: expected string to have >=1 characters, got ""',
    ],
    [
      'with a reason that is still to be written',
      '- { case: a, reason: b, owner: o }\n- { case: c, owner: o, reason: TODO say why }\n',
      'known.yaml:2:32 1.reason: is still to be written: TODO stands there, got "TODO say why"',
    ],
    [
      'with an owner that is still to be written',
      '- { case: a, reason: b, owner: TODO }\n',
      'known.yaml:1:32 0.owner: is still to be written: TODO stands there, got "TODO"',
    ],
    [
      'with a misspelt member',
      '- { case: a, reason: r, owner: o, untill: 2030-01-01 }\n',
      'known.yaml:1:35 0.untill: unknown key "untill", did you mean "until"?',
    ],
    [
      'with a verdict that nobody can list',
      '- { case: a, reason: r, owner: o, verdict: pass }\n',
      'known.yaml:1:44 0.verdict: Invalid option: expected one of "fail"|"inconclusive"|"error"|"unstable", got "pass"',
    ],
    [
      'with one case twice',
      '- { case: a, reason: r, owner: o }\n- { case: a, reason: s, owner: o }\n',
      'known.yaml:2:11 1.case: a has an entry already, number 1 of the list',
    ],
    ['that is no list', 'case: a\n', 'known.yaml:1:1 list: expected array, got {"case":"a"}'],
    ['that is no YAML', '- { case: a\n- b\n', /^known\.yaml:2:1 /],
    ['with an anchor that stands for too much', bomb(), /^known\.yaml: Excessive alias count/],
  ])('%s is refused with place and path', (_, text, problem) => {
    const [first = ''] = problemsOf(text);
    if (typeof problem === 'string') expect(first).toBe(problem);
    else expect(first).toMatch(problem);
  });

  test('every mistake is told', () => {
    expect(problemsOf('- { case: a, owner: o }\n- { case: b, reason: r }\n')).toHaveLength(2);
  });

  test('is read as a draft with reasons to write', () => {
    const draft = '- { case: a, reason: TODO, owner: TODO }\n';
    expect(entriesOf(draft)).toEqual([]);
    expect(entriesOf(draft, 'draft').map(({ case: id }) => id)).toEqual(['a']);
  });
});

/** Twelve anchors, each of ten of the one before. */
function bomb(): string {
  const levels = Array.from(
    { length: 12 },
    (_, n) =>
      `- &a${n} [${Array(10)
        .fill(n === 0 ? 'x' : `*a${n - 1}`)
        .join(', ')}]`,
  );
  return `${levels.join('\n')}\n`;
}

describe('an entry', () => {
  test('counts until its day has passed', () => {
    expect(knownFailure(entries, 'a.b[x]', '2030-01-01')?.reason).toBe('slow');
    expect(knownFailure(entries, 'a.b[x]', '2030-01-02')).toBeUndefined();
    expect(knownFailure(entries, 'x.a.b', '2029-01-01')).toBeUndefined();
  });

  test.each<readonly [string, readonly (readonly [string, 'fail' | 'known' | 'stale' | 'error'])[], readonly string[]]>(
    [
      [
        'came out as listed',
        [
          ['a.b[x]', 'known'],
          ['a.c', 'known'],
          ['a.d', 'known'],
        ],
        [],
      ],
      ['did not run', [['a.e', 'fail']], []],
      [
        'failed in another way',
        [
          ['a.b[x]', 'fail'],
          ['a.b[y]', 'known'],
          ['a.b[z]', 'error'],
        ],
        ['a.b[x], a.b[z] did not come out as listed: fail with "got 500"'],
      ],
      [
        'passed',
        [
          ['a.b[x]', 'known'],
          ['a.c', 'stale'],
          ['a.c', 'stale'],
        ],
        ['a.c passed'],
      ],
    ],
  )('whose cases %s', (_, results, problems) => {
    const seen = results.map(([id, verdict]) => ({ id, verdict }));
    expect(knownProblems(entries, seen, '2029-01-01').map(({ problem }) => problem)).toEqual(problems);
  });

  test('that has expired is a problem whatever its cases did', () => {
    expect(
      knownProblems(entries, [{ id: 'a.b', verdict: 'known' }], '2031-01-01').map(({ problem }) => problem),
    ).toEqual(['expired after 2030-01-01']);
  });
});
