import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';

/** A decoder for one stream with that `Content-Encoding`; undefined for an encoding that is not known. */
export function decoderOf(encoding: string | undefined): Transform | undefined {
  return DECODERS.get((encoding ?? '').trim().toLowerCase())?.();
}

const DECODERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);
