import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode } from '../../base/content-encoding.ts';

describe('content encodings', () => {
  const bytes = Buffer.from('{"model":"m"}'.repeat(20));

  test.each([
    ['gzip', gzipSync(bytes)],
    ['deflate', deflateSync(bytes)],
    ['BR', brotliCompressSync(bytes)],
    ['zstd', zstdCompressSync(bytes)],
    ['identity', bytes],
    [undefined, bytes],
  ])('%s', (encoding, sent) => {
    const read = decode(sent, encoding, 1000);
    expect(read.ok && Buffer.from(read.bytes).equals(bytes)).toBe(true);
  });

  test('a small body does not become larger than allowed', () => {
    expect(decode(gzipSync(Buffer.alloc(100_000)), 'gzip', 1000)).toEqual({ ok: false, why: 'too large' });
  });

  test('others are unsupported, nonsense is broken, nothing throws', () => {
    expect(decode(bytes, 'compress', 1000)).toEqual({ ok: false, why: 'unsupported' });
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom('gzip', 'br', 'zstd', 'deflate'),
        (noise, name) => {
          const read = decode(noise, name, 1000);
          return read.ok ? read.bytes.byteLength <= 1000 : read.why !== 'unsupported';
        },
      ),
    );
  });
});
