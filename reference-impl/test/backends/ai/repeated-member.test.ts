import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { repeatedMember } from '../../../backends/ai/repeated-member.ts';

function members(value: object): string {
  return JSON.stringify(value).slice(1, -1);
}

describe('repeatedMember', () => {
  test.each([
    ['{"model":"a"}', undefined],
    ['{"model":"model"}', undefined],
    ['{"x":"\\"model\\":","model":"a"}', undefined],
    ['{"a":{"x":1},"b":{"x":2},"x":[{"x":1},{"x":2}]}', undefined],
    ['["x","x"]', undefined],
    ['{"model":"a","model":"b"}', 'model'],
    ['{"model" : "a", "m\\u006fdel"\n:"b"}', 'model'],
    ['{"\\u006dodel":"a","mod\\u0065l":"b"}', 'model'],
    ['{"a":"\\\\","model":1,"b":"\\\\","model":2}', 'model'],
    ['{"messages":[{"content":"a","role":"user","content":"b"}]}', 'content'],
    ['[1,{"":0,"":1}]', ''],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ])('%s', (text, name) => {
    expect(repeatedMember(text)).toBe(name);
  });

  test('finds none in what was written once', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1), (value, indent) => {
        expect(repeatedMember(JSON.stringify(value, undefined, indent))).toBeUndefined();
      }),
    );
  });

  test('finds a second member wherever it stands', () => {
    const other = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
    fc.assert(
      fc.property(other, other, (before, after) => {
        const parts = ['"model":"a"', members(before), '"model":"b"', members(after)].filter((part) => part !== '');
        expect(repeatedMember(`[{"x":{${parts.join(',')}}}]`)).not.toBeUndefined();
      }),
    );
  });

  test('takes a long text of quotes and backslashes as quickly as another', () => {
    const text = JSON.stringify({ a: '\\"'.repeat(500_000), b: ['['.repeat(500_000)] });
    const started = process.cpuUsage();
    expect(repeatedMember(text)).toBeUndefined();
    expect(process.cpuUsage(started).user).toBeLessThan(1_000_000);
  });
});
