import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { frameReader, writeFrame, type Unit } from '../../../../../backends/ai/guards/realtime/frames.ts';

/** What a reader makes of bytes that come in pieces of that size. */
function read(bytes: Uint8Array, size: number, limit?: number): readonly Unit[] {
  const reader = frameReader(limit);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    reader.push(bytes.subarray(index * size, (index + 1) * size)),
  ).flat();
}

describe('frames', () => {
  test('say what was written, masked or not, wherever they are cut', () => {
    const message = fc.record({ opcode: fc.constantFrom(1, 2), payload: fc.uint8Array({ maxLength: 300 }) });
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 5 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 50 }),
        (all, masked, size) => {
          const bytes = Buffer.concat(all.map(({ opcode, payload }) => writeFrame(opcode, payload, masked)));
          const expected = all.map(({ opcode, payload }) => ({
            kind: 'message',
            opcode,
            payload: Buffer.from(payload),
          }));
          expect(read(bytes, size)).toEqual(expected);
        },
      ),
    );
  });

  test.each([125, 126, 65_535, 65_536, 70_000])('hold %i bytes', (size) => {
    const payload = Buffer.alloc(size, 'x');
    expect(read(writeFrame(1, payload, true), 1000)).toEqual([{ kind: 'message', opcode: 1, payload }]);
  });

  test('of one message are put together, with control frames between them left as they are', () => {
    const [first, ping, last] = [
      writeFrame(1, Buffer.from('ab'), true),
      writeFrame(9, Buffer.from('?'), true),
      writeFrame(0, Buffer.from('c'), true),
    ];
    first[0] = 1; // not the last one
    expect(read(Buffer.concat([first, ping, last]), 1)).toEqual([
      { kind: 'control', bytes: ping },
      { kind: 'message', opcode: 1, payload: Buffer.from('abc') },
    ]);
  });

  test('beyond the limit are an error, in one or in several', () => {
    expect(() => read(writeFrame(1, Buffer.alloc(11), false), 100, 10)).toThrow(RangeError);
    const piece = writeFrame(1, Buffer.alloc(6), false);
    piece[0] = 1;
    const rest = writeFrame(0, Buffer.alloc(6), false);
    expect(() => read(Buffer.concat([piece, rest]), 100, 10)).toThrow(RangeError);
  });

  test('that nobody wrote do no harm', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 20 }), (bytes, size) => {
        try {
          read(bytes, size, 1000);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});
