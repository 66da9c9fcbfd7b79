import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AuthoringError } from '../../values/authoring-error.ts';
import { interpolate, lookup, placeholders } from '../../values/variables.ts';

const scope = {
  row: { n: 7, none: null, list: [1, 2], text: 'a', off: false },
  peers: { up: { port: 80, authority: 'h:80' } },
};

describe('interpolate', () => {
  test.each([
    ['${row.n}', 7],
    ['x${row.n}y', 'x7y'],
    ['${row.list}', [1, 2]],
    ['${row.list.1}', 2],
    ['${row.none}', null],
    ['a${row.none}', 'a'],
    ['$${row.n}', '${row.n}'],
    ['cost $5 {x}', 'cost $5 {x}'],
    [{ '${row.text}': 1, '${row.none}': 2 }, { a: 1 }],
    [['${peers.up.authority}'], ['h:80']],
    [{ a: { '~if': '${row.off}', b: 1 } }, {}],
    [{ a: { '~if': '${row.n}', b: 1 } }, { a: { b: 1 } }],
    [
      [
        { '~if': '${row.none}', b: 1 },
        { '~if': '${row.text}', of: 3 },
      ],
      [3],
    ],
    [{ '~fill': 3 }, 'xxx'],
    [{ '~fill': '${row.n}', with: 'ab' }, 'abababa'],
    [{ '~list': 2, of: { n: '${list.number}' } }, [{ n: 1 }, { n: 2 }]],
    [
      ['first', { '~list': 2, of: 'a${list.number}' }, 'last'],
      ['first', 'a1', 'a2', 'last'],
    ],
    [
      { '~members': 2, of: { 'x-${list.number}': '${row.n}' }, last: 1 },
      { 'x-1': 7, 'x-2': 7, last: 1 },
    ],
  ])('%j becomes %j', (value, filled) => {
    expect(interpolate(value, scope)).toEqual(filled);
  });

  test('null leaves a member out only where it is asked to', () => {
    expect(interpolate({ a: '${row.none}', b: null }, scope, { dropNull: true })).toEqual({ b: null });
    expect(interpolate({ a: '${row.none}' }, scope)).toEqual({ a: null });
  });

  test('a partial pass leaves what it does not know, and the escapes, for the next one', () => {
    const text = {
      a: '${row.n} ${tool}',
      b: '$${row.n}',
      c: { '~if': '${tool}', d: '${row.n}' },
      e: { '~fill': '${row.n}' },
    };
    const first = interpolate(text, { row: scope.row }, { partial: true });
    expect(first).toEqual({ a: '7 ${tool}', b: '$${row.n}', c: { '~if': '${tool}', d: 7 }, e: { '~fill': 7 } });
    expect(interpolate(first, { tool: 't' })).toEqual({ a: '7 t', b: '${row.n}', c: { d: 7 }, e: 'xxxxxxx' });
  });

  test.each([
    ['${row.m}', 'unknown variable ${row.m}, did you mean ${row.n}?'],
    ['${peers.upp.port}', 'unknown variable ${peers.upp.port}'],
    ['${nowhere}', 'unknown variable ${nowhere}; known are row, peers'],
    ['${}', 'unknown variable ${}'],
    [{ '~fill': 'x' }, '~fill takes a number of bytes'],
    [[{ '~list': 'x', of: 1 }], '~list takes a number of copies'],
    [{ '~members': 1, of: 'x' }, 'of of ~members is an object'],
  ])('%j is an authoring error', (value, message) => {
    expect(() => interpolate(value, scope)).toThrow(message);
  });

  test('an authoring error says where it is', () => {
    const error = catchError(() => interpolate({ a: ['${nowhere}'] }, scope, { at: ['cases', 0] }));
    expect(error).toBeInstanceOf(AuthoringError);
    expect(error).toMatchObject({ at: ['cases', 0, 'a', 0] });
  });

  test('a value without placeholders is left as it is', () => {
    const value = fc.jsonValue().filter((json) => !/\$\{|~if|~fill|~list|~members/.test(JSON.stringify(json)));
    fc.assert(
      fc.property(value, (json) => {
        expect(interpolate(json, scope)).toEqual(json);
      }),
    );
  });

  test('an escaped text comes back, in one pass and in two', () => {
    const text = fc.array(fc.constantFrom('$', '{', '}', '${', 'row.n', 'a', '\n')).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (plain) => {
        const escaped = plain.replaceAll('${', () => '$${');
        expect(interpolate(escaped, {})).toBe(plain);
        expect(interpolate(interpolate(escaped, scope, { partial: true }), {})).toBe(plain);
      }),
    );
  });
});

test('lookup finds names that contain dots, and nothing behind a missing member', () => {
  const root = { 'U-021.status': 1, a: { 'b.c': { d: 2 } }, list: [{ x: 3 }], none: null };
  expect(lookup(root, 'U-021.status')).toBe(1);
  expect(lookup(root, 'list.0.x')).toBe(3);
  expect(lookup(root, 'a.b.c')).toEqual({ d: 2 });
  expect(lookup(root, 'none.x')).toBeUndefined();
  expect(lookup(root, 'toString')).toBeUndefined();
});

test('placeholders are listed with their places, escapes are not', () => {
  expect(placeholders({ a: ['${x.y}', '$${z}'], '${k}': 1 })).toEqual([
    { name: 'x.y', at: ['a', 0] },
    { name: 'k', at: ['${k}'] },
  ]);
});

function catchError(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
