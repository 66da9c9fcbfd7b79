import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { messageReader, writeFrame, type Message } from '../../../../backends/ai/realtime/frames.ts';

/** What a reader makes of bytes that come in pieces of that size; a message that is too large is skipped. */
function read(bytes: Uint8Array, size: number, limit?: number, tooLarge = (): void => {}): readonly Message[] {
  const reader = messageReader(tooLarge, limit);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    reader.push(bytes.subarray(index * size, (index + 1) * size)),
  ).flat();
}

/** One frame; `last: false` for one that another continues. */
function frame(opcode: number, text: string | Buffer, { last = true, masked = true } = {}): Buffer {
  const bytes = writeFrame({ opcode, payload: Buffer.from(text) }, masked);
  if (!last) bytes[0] = opcode;
  return bytes;
}

function refuse(): never {
  throw new RangeError('too large');
}

describe('frames', () => {
  test('say what was written, masked or not, wherever they are cut', () => {
    const message = fc.record({
      opcode: fc.constantFrom(1, 2, 8, 9, 10),
      payload: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    });
    const messages = fc.array(message, { maxLength: 5 });
    fc.assert(
      fc.property(messages, fc.boolean(), fc.integer({ min: 1, max: 50 }), (all, masked, size) => {
        expect(read(Buffer.concat(all.map((one) => writeFrame(one, masked))), size)).toEqual(all);
      }),
    );
  });

  test.each([125, 126, 65_535, 65_536, 70_000])('hold %i bytes', (size) => {
    const payload = Buffer.alloc(size, 'x');
    expect(read(writeFrame({ opcode: 1, payload }, true), 1000)).toEqual([{ opcode: 1, payload }]);
  });

  test('of one message are put together, and control frames come between them', () => {
    const pieces = fc.array(fc.string({ unit: 'grapheme', maxLength: 20 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(pieces, fc.boolean(), fc.integer({ min: 1, max: 50 }), (texts, masked, size) => {
        const frames = texts.flatMap((text, index) => [
          frame(index === 0 ? 1 : 0, text, { last: index === texts.length - 1, masked }),
          frame(9, 'ping', { masked }),
        ]);
        const ping = { opcode: 9, payload: Buffer.from('ping') };
        const whole = { opcode: 1, payload: Buffer.from(texts.join('')) };
        const before = texts.slice(1).map(() => ping);
        expect(read(Buffer.concat(frames), size)).toEqual([...before, whole, ping]);
      }),
    );
  });

  test.each([
    ['one frame', [frame(1, 'x'.repeat(11))]],
    ['several', [frame(1, 'x'.repeat(6), { last: false }), frame(0, 'x'.repeat(6), { last: false }), frame(0, 'x')]],
  ])('of a message that is too large are skipped and nothing else: %s', (_, frames) => {
    const bytes = Buffer.concat([...frames, frame(1, 'after')]);
    const tooLarge = vi.fn();
    expect(read(bytes, 4, 10, tooLarge)).toEqual([{ opcode: 1, payload: Buffer.from('after') }]);
    expect(tooLarge).toHaveBeenCalledOnce();
    expect(() => read(bytes, 4, 10, refuse)).toThrow(RangeError);
  });

  test('that continue nothing are nothing', () => {
    const after = { opcode: 1, payload: Buffer.from('a') };
    expect(read(Buffer.concat([frame(0, 'more'), frame(1, 'a')]), 3)).toEqual([after]);
  });

  test('that nobody wrote do no harm', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 20 }), (bytes, size) => {
        expect(Array.isArray(read(bytes, size, 1000))).toBe(true);
      }),
    );
  });
});
