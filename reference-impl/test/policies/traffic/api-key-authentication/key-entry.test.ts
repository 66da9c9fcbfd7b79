import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  keyHash,
  parseHashedEntry,
  parseKeyEntry,
} from '../../../../policies/traffic/api-key-authentication/key-entry.ts';

// printf k-1 | sha256sum
const HASH = '7c35c5a1785d20704e44d5de4beb81c1fce91b6fe48ed7c3159af6f7f832078b';
const plain = { hash: HASH, metadata: {} };

describe('the value of an entry', () => {
  test.each([
    ['k-1', plain],
    [' k-1\n', plain],
    ['{"key":"k-1"}', plain],
    ['{"key":"k-1","metadata":{"group":"a"}}', { hash: HASH, metadata: { group: 'a' } }],
    ['{"key":"k-1","metadata":"a"}', plain],
    [`{"keyHash":"sha256:${HASH}"}`, plain],
    [`{"keyHash":"sha256:${HASH.toUpperCase()}"}`, plain],
    [`{"keyHash":"${HASH}"}`, undefined],
    [`{"keyHash":"sha1:${HASH}"}`, undefined],
    [`{"keyHash":"sha256:${HASH}0"}`, undefined],
    ['{"keyHash":"sha256:"}', undefined],
    [`{"key":"k-1","keyHash":"sha256:${HASH}"}`, undefined],
    ['{"key":""}', undefined],
    ['{"key":1}', undefined],
    ['{}', undefined],
    ['', undefined],
    [' \n', undefined],
    ['{not json', { hash: keyHash('{not json'), metadata: {} }],
    ['["k-1"]', { hash: keyHash('["k-1"]'), metadata: {} }],
  ])('%s', (value, expected) => {
    expect(parseKeyEntry(value)).toEqual(expected);
  });

  test('APIKEY-015: a source that is no secret holds hashes only', () => {
    expect(parseHashedEntry(`{"keyHash":"sha256:${HASH}","metadata":{"a":1}}`)).toEqual({
      hash: HASH,
      metadata: { a: 1 },
    });
    for (const value of [
      'k-1',
      '{"key":"k-1"}',
      `{"key":"k-1","keyHash":"sha256:${HASH}"}`,
      HASH,
      `sha256:${HASH}`,
      '',
    ]) {
      expect(parseHashedEntry(value)).toBeUndefined();
    }
  });

  test('any value is read, and its hash is one of 64 digits that is not the value', () => {
    const json = fc.json().map((text) => `{"key":${text},"keyHash":${text},"metadata":${text}}`);
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json(), json), (value) => {
        for (const entry of [parseKeyEntry(value), parseHashedEntry(value)]) {
          if (entry === undefined) continue;
          expect(entry.hash).toMatch(/^[0-9a-f]{64}$/);
          expect(entry.hash).not.toBe(value);
        }
      }),
    );
  });

  test('metadata named like what every object inherits stays metadata', () => {
    const entry = parseKeyEntry('{"key":"k-1","metadata":{"__proto__":{"group":"a"},"constructor":"b"}}');
    const shown = { key: '<redacted>', ...entry?.metadata };
    expect(Reflect.get(shown, 'group')).toBeUndefined();
    expect(Object.keys(shown)).toEqual(['key', '__proto__', 'constructor']);
  });
});
