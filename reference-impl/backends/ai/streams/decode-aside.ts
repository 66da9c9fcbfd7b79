import type { Transform } from 'node:stream';
import { decoderOf, isPlain } from '../../../base/content-encoding.ts';
import type { EventCutter } from './stream-form.ts';
import type { EventReader } from './watch.ts';

/**
 * Undoes `Content-Encoding` piece by piece on the way to `cutter`, for who watches a stream that passes encoded.
 * Undefined for an encoding that is not known. Never throws or rejects.
 */
export function decodedAside(encoding: string | undefined, cutter: EventCutter): EventReader | undefined {
  if (isPlain(encoding)) return cutter;
  const decoder = decoderOf(encoding);
  if (decoder === undefined) return undefined;
  const pieces = through(decoder);
  return {
    push: async (bytes) => (await pieces.push(bytes)).flatMap(cutter.push),
    end: async () => [...(await pieces.end()).flatMap(cutter.push), ...cutter.end()],
    failure: cutter.failure,
  };
}

interface DecodedPieces {
  /** What is known after `bytes`; the rest may follow later. */
  readonly push: (bytes: Uint8Array) => Promise<readonly Uint8Array[]>;
  readonly end: () => Promise<readonly Uint8Array[]>;
}

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
