import type { Transform } from 'node:stream';
import { decoderOf } from './decoders.ts';

/** Undoes `Content-Encoding` piece by piece, for who watches a stream that passes. Never throws or rejects. */
export interface DecodedPieces {
  /** What is known after `bytes`; the rest may follow later. */
  readonly push: (bytes: Uint8Array) => Promise<readonly Uint8Array[]>;
  readonly end: () => Promise<readonly Uint8Array[]>;
}

/** A decoder for one stream; undefined for an encoding that is not known. */
export function decodedPieces(encoding: string | undefined): DecodedPieces | undefined {
  const name = (encoding ?? '').trim().toLowerCase();
  if (name === '' || name === 'identity') return PLAIN;
  const decoder = decoderOf(name);
  return decoder && through(decoder);
}

const PLAIN: DecodedPieces = { push: (bytes) => Promise.resolve([bytes]), end: () => Promise.resolve([]) };

/** Decoded bytes of one stream that are watched; a small stream can stand for an endless one. */
const MOST_BYTES = 64 * 1024 * 1024;

function through(decoder: Transform): DecodedPieces {
  let pieces: Uint8Array[] = [];
  let size = 0;
  let closed = false;
  decoder.on('data', (piece: Uint8Array) => {
    size += piece.byteLength;
    if (size > MOST_BYTES) decoder.destroy();
    else pieces.push(piece);
  });
  // Bytes that are not what they are said to be: there is nothing to watch, and they pass all the same.
  decoder.on('error', () => decoder.destroy());
  decoder.on('close', () => {
    closed = true;
  });

  const taken = (): readonly Uint8Array[] => {
    const now = pieces;
    pieces = [];
    return now;
  };
  const done = (start: (settle: () => void) => void): Promise<readonly Uint8Array[]> =>
    new Promise((resolve) => {
      const settle = (): void => {
        decoder.off('close', settle);
        resolve(taken());
      };
      if (closed || decoder.destroyed) return settle();
      decoder.once('close', settle);
      start(settle);
    });
  return {
    push: (bytes) => done((settle) => decoder.write(bytes, settle)),
    // It closes when the last bytes are out.
    end: () => done(() => decoder.end()),
  };
}
