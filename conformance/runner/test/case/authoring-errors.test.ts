import { describe, expect, test } from 'vitest';
import { formatProblem } from '../../case/problem.ts';
import { goodFile, parsed, problemsOf } from './support.ts';

const POSITIVE = 'clauses: [{ id: X-001, as: positive }]';

test('the good file has no problem', () => {
  expect(problemsOf(goodFile())).toEqual([]);
});

describe('an authoring error names line and column and what was expected', () => {
  test.each<readonly [string, string, readonly (readonly [string, string])[]]>([
    ['bad YAML', '3:3 Block collections are not allowed within flow collections', [['cases:', 'cases: [']]],
    ['a misspelt key of a case', '4:5 unknown key "titel", did you mean "title"?', [['    title:', '    titel:']]],
    [
      'a missing title',
      '3:5 required, expected string',
      [['    title: A request to the only route reaches the only backend\n', '']],
    ],
    [
      'a misspelt key of a step',
      '17:9 unknown key "expct", did you mean "expect"?',
      [['        expect: {', '        expct: {']],
    ],
    [
      'a misspelt key of an observation',
      '17:19 unknown key "statsu", did you mean "status"?',
      [['expect: { status', 'expect: { statsu']],
    ],
    ['a misspelt key of a peer', '8:25 unknown key "replyy", did you mean "reply"?', [['reply: {', 'replyy: {']]],
    ['an unknown kind of peer', '8:19 unknown peer kind', [['kind: http', 'kind: htttp']]],
    [
      'two kinds in one step',
      '15:9 a step has exactly one of',
      [['http: { GET: / }', 'http: { GET: / }\n        raw: { send: x }']],
    ],
    ['a number where a text belongs', '3:9 expected string, got 7', [['id: x.basics.one', 'id: 7']]],
    ['a bad id', '3:9 expected an id such as policy.merge.per-field', [['id: x.basics.one', 'id: One']]],
    [
      'no steps',
      '3:5 a case has either steps, a property or generate',
      [['    steps:\n      - id: call\n        http: { GET: / }\n        expect: { status: 200 }\n', '']],
    ],
    ['an empty expect', '17:17 expect needs at least one expectation', [['expect: { status: 200 }', 'expect: {}']]],
    [
      'a row without a name',
      '6:20 required, expected string',
      [['    needs: [core.http]', '    vary: { rows: [{ a: 1 }] }']],
    ],
    ['an unknown clause', '5:21 unknown clause X-00, did you mean X-001?', [['id: X-001', 'id: X-00']]],
    ['an unknown feature', '6:13 unknown feature core.htp, did you mean core.http?', [['[core.http]', '[core.htp]']]],
    [
      'an unknown feature behind those of the file',
      '7:13 unknown feature core.htp, did you mean core.http?',
      [
        ['suite: x.basics', 'suite: x.basics\ndefaults: { needs: [trace.watch] }'],
        ['[core.http]', '[core.htp]'],
      ],
    ],
    [
      'an unknown feature for the whole file',
      '2:32 unknown feature trace.wtch, did you mean trace.watch?',
      [['suite: x.basics', "suite: x.basics\ndefaults: { needs: [core.http, 'trace.wtch'] }"]],
    ],
    ['an unknown open point', '6:15 unknown open point U-999', [['needs: [core.http]', 'assumes: [U-999]']]],
    [
      'an open point that is none',
      '6:15 expected an open point such as U-012',
      [['needs: [core.http]', 'assumes: [U-9]']],
    ],
    [
      '"should" in a title',
      '4:12 "should": a title states the fact, not a wish',
      [['A request to', 'A request should go to']],
    ],
    [
      '"test" in a title',
      '4:12 "Test": a title states the fact, not a wish',
      [['A request to', 'Test that a request to']],
    ],
    [
      'a peer that is not there, in received',
      '19:19 unknown peer upp, did you mean up?',
      [['received: { up', 'received: { upp']],
    ],
    [
      'a peer that is not there, in a variable',
      '16:22 unknown peer upp, did you mean up?',
      [['GET: /', 'GET: "/${peers.upp.port}"']],
    ],
    ['a peer that is not there, as a target', '9:15 unknown peer upp, did you mean up?', [['to: up', 'to: upp']]],
    [
      'a peer that is not there, in config',
      '11:9 unknown peer upp',
      [['traffic: { timeouts: { request: 9s } }', 'traffic: { backendRef: { peer: upp } }']],
    ],
    [
      'an unknown variable',
      '16:22 unknown variable ${cas.host}, did you mean ${case.host}?',
      [['GET: /', 'GET: "/${cas.host}"']],
    ],
    ['an unknown variable of the row', '16:22 unknown variable ${row.a}', [['GET: /', 'GET: "/${row.a}"']]],
    ['an unknown target', '11:9 at: ruote is no target', [['at: route', 'at: ruote']]],
    ['a kind without apiVersion', '11:9 kind Widget needs an apiVersion', [['kind: ProxyPolicy', 'kind: Widget']]],
    [
      'an unknown matcher',
      '17:29 unknown matcher ~clas, did you mean ~class?',
      [['status: 200 }\n    expect', 'status: { ~clas: 2xx } }\n    expect']],
    ],
    [
      'a bad argument of a matcher',
      '17:37 ~class takes 1xx, 2xx',
      [['status: 200 }\n    expect', 'status: { ~class: 6xx } }\n    expect']],
    ],
    [
      'a trace that nobody watches',
      '19:16 no trace step watches as t',
      [['received: { up: [{ GET: / }] }', 'trace: { t: { closed: true } }']],
    ],
    [
      'zero checks',
      '3:9 the case expects nothing: zero checks',
      [['        expect: { status: 200 }\n    expect:\n      received: { up: [{ GET: / }] }\n', '']],
    ],
    [
      'a negative case without control or witness',
      '5:15 a case with only negative clauses needs a control step or a witness',
      [[POSITIVE, 'clauses: [{ id: X-001, as: negative }]']],
    ],
    [
      'no defect at must level',
      '3:9 a must-level case names at least one defect',
      [['    kills: [some-defect]\n', '']],
    ],
    [
      'must on an UNSPECIFIED clause',
      '6:12 level must, but X-004 is UNSPECIFIED and cannot gate',
      [[POSITIVE, 'clauses: [{ id: X-004, as: positive }]\n    level: must']],
    ],
    [
      'observe on a MUST clause',
      '6:12 level observe, but its clauses give must',
      [[POSITIVE, `${POSITIVE}\n    level: observe`]],
    ],
    [
      'the same id twice',
      '4:9 id x.basics.one is taken by t.yaml:3',
      [
        [
          '  - id: x.basics.one\n',
          '  - { id: x.basics.one, title: Another case with the same id, clauses: [{ id: X-003, as: positive }], steps: [{ id: a, http: { GET: / }, expect: { status: 200 } }] }\n  - id: x.basics.one\n',
        ],
      ],
    ],
    [
      'the same step id twice',
      '18:15 step id call is used twice',
      [['    expect:\n      received', '      - { id: call, http: { GET: / } }\n    expect:\n      received']],
    ],
  ])('%s', (_, expected, edits) => {
    const problems = problemsOf(goodFile(...edits));
    expect(problems.map((problem) => problem.slice(0, expected.length))).toContain(expected);
  });

  test('an unknown defect, once there is a gallery', () => {
    expect(problemsOf(goodFile(), ['some-defekt'])).toEqual([
      '20:13 unknown defect some-defect, did you mean some-defekt?',
    ]);
    expect(problemsOf(goodFile(), ['some-defect'])).toEqual([]);
  });

  test('a value that only a row gets wrong, with the row', () => {
    const vary = 'vary: { rows: [{ name: good, n: 200 }, { name: bad, n: many }] }';
    const problems = problemsOf(
      goodFile(['needs: [core.http]', vary], ['reply: { status: 200 }', 'reply: { status: "${row.n}" }']),
    );
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^8:\d+ .*\(in x\.basics\.one\[bad\]\)$/);
  });
});

test('a problem is printed with file, line, column, a caret and the path of the member', () => {
  const [problem] = parsed(goodFile(['    title:', '    titel:'])).problems;
  expect(problem && formatProblem(problem).split('\n')).toEqual([
    't.yaml:3:5 required, expected string',
    '    3 |   - id: x.basics.one',
    '      |     ^ cases[0].title',
  ]);
});

test('a wrong case takes only itself out of its file', () => {
  const second = goodFile().split('cases:\n')[1]?.replace('x.basics.one', 'x.basics.two') ?? '';
  const { cases, problems } = parsed(goodFile(['    title:', '    titel:']) + second);
  expect(cases.map(({ id }) => id)).toEqual(['x.basics.two']);
  expect(problems.length).toBeGreaterThan(0);
});
