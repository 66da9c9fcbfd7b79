import type { Transform } from 'node:stream';
import {
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
  gunzipSync,
  inflateSync,
  zstdDecompressSync,
} from 'node:zlib';

/** What became of encoded bytes. */
export type Decoded =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly why: 'unsupported' | 'too large' | 'broken' };

/** Undoes `Content-Encoding`, but never to more than `limit` bytes. Never throws. */
export function decode(bytes: Uint8Array, encoding: string | undefined, limit: number): Decoded {
  if (isPlain(encoding)) return { ok: true, bytes };
  const known = ENCODINGS.get(nameOf(encoding));
  if (known === undefined) return { ok: false, why: 'unsupported' };
  try {
    return { ok: true, bytes: known.decode(bytes, { maxOutputLength: limit }) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return { ok: false, why: code === 'ERR_BUFFER_TOO_LARGE' ? 'too large' : 'broken' };
  }
}

/** A decoder for one stream with that `Content-Encoding`; undefined for an encoding that is not known. */
export function decoderOf(encoding: string | undefined): Transform | undefined {
  return ENCODINGS.get(nameOf(encoding))?.decoder();
}

/** Whether there is nothing to undo. */
export function isPlain(encoding: string | undefined): boolean {
  return ['', 'identity'].includes(nameOf(encoding));
}

function nameOf(encoding: string | undefined): string {
  return (encoding ?? '').trim().toLowerCase();
}

interface Encoding {
  readonly decode: (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;
  readonly decoder: () => Transform;
}

const GZIP: Encoding = { decode: gunzipSync, decoder: createGunzip };

const ENCODINGS: ReadonlyMap<string, Encoding> = new Map<string, Encoding>([
  ['gzip', GZIP],
  ['x-gzip', GZIP],
  ['deflate', { decode: inflateSync, decoder: createInflate }],
  ['br', { decode: brotliDecompressSync, decoder: createBrotliDecompress }],
  ['zstd', { decode: zstdDecompressSync, decoder: createZstdDecompress }],
]);
