import { expect, test } from 'vitest';
import { parseByteSize } from '../../base/byte-size.ts';

test.each([
  ['2Mi', 2_097_152],
  ['16k', 16_000],
  ['1024', 1024],
  ['1e3', 1000],
  ['1E3', 1000],
  ['1E', 1e18],
  ['0.5Ki', 512],
  ['1.5', 2],
  ['2048m', 3],
  ['1Ei', 1024 ** 6],
  [4096, 4096],
])('%s is %d bytes', (value, bytes) => {
  expect(parseByteSize(value)).toBe(bytes);
});

test.each(['', '2mb', '2MiB', '2 Mi', '-1', 'Ki', '1e', '0x10', 1.5, -1])('%j is not a byte size', (value) => {
  expect(parseByteSize(value)).toBeUndefined();
});
