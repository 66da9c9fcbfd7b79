import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';

/** What became of encoded bytes. */
export type Decoded =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly why: 'unsupported' | 'too large' | 'broken' };

/** Undoes `Content-Encoding`, but never to more than `limit` bytes. Never throws. */
export function decoded(bytes: Uint8Array, encoding: string | undefined, limit: number): Decoded {
  const name = (encoding ?? '').trim().toLowerCase();
  if (name === '' || name === 'identity') return { ok: true, bytes };
  const decode = DECODERS.get(name);
  if (decode === undefined) return { ok: false, why: 'unsupported' };
  try {
    return { ok: true, bytes: decode(bytes, { maxOutputLength: limit }) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return { ok: false, why: code === 'ERR_BUFFER_TOO_LARGE' ? 'too large' : 'broken' };
  }
}

type Decode = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;

const DECODERS: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
  ['zstd', zstdDecompressSync],
]);
