import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { repeatsMember } from '../../../../backends/ai/models/repeats-member.ts';

function members(value: object): string {
  return JSON.stringify(value).slice(1, -1);
}

describe('repeatsMember', () => {
  test.each([
    ['{"model":"a"}', false],
    ['{"model":"model"}', false],
    ['{"x":"\\"model\\":","model":"a"}', false],
    ['{"model":"a","model":"b"}', true],
    ['{"model" : "a", "m\\u006fdel":"b"}', true],
    ['{"\\u006dodel":"a","mod\\u0065l":"b"}', true],
    ['{"a":"\\\\","model":1,"b":"\\\\","model":2}', true],
  ])('%s', (text, repeats) => {
    expect(repeatsMember(text, 'model')).toBe(repeats);
  });

  test('finds a second member wherever it stands', () => {
    const other = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
    fc.assert(
      fc.property(other, other, (before, after) => {
        const parts = ['"model":"a"', members(before), '"model":"b"', members(after)].filter((part) => part !== '');
        expect(repeatsMember(`{${parts.join(',')}}`, 'model')).toBe(true);
      }),
    );
  });
});
