import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { frameTexts } from '../../../../backends/ai/realtime/frame-texts.ts';

/** A frame as a server sends it. */
function frame(opcode: number, payload: Buffer, last = true): Buffer {
  const { length } = payload;
  const first = (last ? 0x80 : 0) | opcode;
  if (length < 126) return Buffer.concat([Buffer.from([first, length]), payload]);
  if (length < 65_536) return Buffer.concat([Buffer.from([first, 126, length >> 8, length & 255]), payload]);
  const head = Buffer.alloc(10);
  head.set([first, 127]);
  head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

function read(bytes: Buffer, cuts: readonly number[], limit?: number): readonly string[] {
  const reader = frameTexts(limit);
  const ends = [...new Set([...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].toSorted((a, b) => a - b);
  return ends.flatMap((end, index) => reader.push(bytes.subarray(ends[index - 1] ?? 0, end)));
}

const text = fc.string({ unit: 'grapheme', maxLength: 300 });

test('texts come out wherever the bytes are cut, in several frames too, with control frames between them', () => {
  const message = fc.array(text, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 5 }), fc.array(fc.nat(), { maxLength: 8 }), (messages, cuts) => {
      const frames = messages.flatMap((pieces) =>
        pieces.flatMap((piece, index) => [
          frame(index === 0 ? 1 : 0, Buffer.from(piece), index === pieces.length - 1),
          frame(9, Buffer.from('ping')),
        ]),
      );
      expect(read(Buffer.concat(frames), cuts)).toEqual(messages.map((pieces) => pieces.join('')));
    }),
  );
});

test('binary messages, and texts that are too large, are skipped and nothing else', () => {
  const bytes = Buffer.concat([
    frame(2, Buffer.from('binary'), false),
    frame(0, Buffer.from('more')),
    frame(1, Buffer.alloc(70_000, 'x')),
    frame(1, Buffer.from('after')),
  ]);
  expect(read(bytes, [3, 100, 60_000], 60_000)).toEqual(['after']);
});

test('any bytes are read without an error', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 10 }), (pieces) => {
      const reader = frameTexts(1000);
      for (const piece of pieces) expect(Array.isArray(reader.push(piece))).toBe(true);
    }),
  );
});
