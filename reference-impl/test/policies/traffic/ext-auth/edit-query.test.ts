import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { editQuery } from '../../../../policies/traffic/ext-auth/edit-query.ts';

describe('query parameters of a target', () => {
  test.each([
    ['/a', [['b', '1']], [], '/a?b=1'],
    ['/a?b=0&c=%41', [['b', '1']], [], '/a?b=1&c=%41'],
    ['/a?b=0&c&b=2', [['b', 'x y']], [], '/a?b=x%20y&c'],
    ['/a?b=0&c=1', [], ['b'], '/a?c=1'],
    ['/a?b=0', [], ['b'], '/a'],
    ['/a?%62=0&c=1', [], ['b'], '/a?c=1'],
    ['/a?b+c=0', [], ['b c'], '/a'],
    ['/a?%zz=0&b', [['d', '&=#']], ['b'], '/a?%zz=0&d=%26%3D%23'],
    ['/a?b=0', [], [], '/a?b=0'],
    ['/a?', [], ['b'], '/a'],
  ] as const)('%s with %j without %j is %s', (target, set, remove, expected) => {
    expect(editQuery(target, set, remove)).toBe(expected);
  });

  test('what is not named stays byte for byte', () => {
    const name = fc.stringMatching(/^[a-z%]{1,4}$/).filter((text) => text !== 'own');
    const parameter = fc.tuple(name, fc.stringMatching(/^[!-%'-~]{0,6}$/)).map(([key, value]) => `${key}=${value}`);
    fc.assert(
      fc.property(fc.array(parameter, { minLength: 1, maxLength: 6 }), (parameters) => {
        const before = parameters.join('&');
        expect(editQuery(`/p?${before}`, [['own', '1']], ['none'])).toBe(`/p?${before}&own=1`);
      }),
    );
  });
});
