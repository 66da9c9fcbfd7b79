import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientFrames, type BrokenRule } from '../../server/client-frames.ts';
import {
  ACK,
  DATA,
  END_HEADERS,
  END_STREAM,
  frame,
  HEADERS,
  PING,
  PREFACE,
  PRIORITY,
  RST_STREAM,
  settings,
} from '../support/http2-frames.ts';

const start = Buffer.concat([Buffer.from(PREFACE), settings()]);
const whole = (stream: number): Buffer => frame(HEADERS, END_STREAM | END_HEADERS, stream, 'fields');
const open = (stream: number): Buffer => frame(HEADERS, END_HEADERS, stream, 'fields');
const data = (stream: number, flags = 0): Buffer => frame(DATA, flags, stream, 'x'.repeat(20));
const pong = frame(PING, ACK, 0, 'abcdefgh');

describe('frames of a client', () => {
  it('pass as they are, and those that break a rule do not, wherever the bytes are split', () => {
    const kept = Buffer.concat([
      start,
      open(1),
      data(1),
      frame(PRIORITY, 0, 1, '\0\0\0\x03\x0f'),
      whole(3),
      data(1, END_STREAM),
    ]);
    const sent = Buffer.concat([
      start,
      open(1),
      data(1),
      pong,
      frame(PRIORITY, 0, 1, '\0\0\0\x03\x0f'),
      whole(3),
      data(1, END_STREAM),
    ]);
    const all = Buffer.concat([sent, data(3), whole(5)]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (sizes) => {
        expect(inPieces(all, sizes)).toEqual({
          passed: kept.toString('hex'),
          reason: 'a frame behind the end of its stream',
        });
      }),
    );
  });

  it('a stream that stays open for long is as good as new, however many came and were left since', () => {
    const frames = clientFrames(() => false);
    frames.judge(Buffer.concat([start, open(1)]));
    for (let stream = 3; stream < 4001; stream += 2) {
      expect(frames.judge(open(stream)).broken).toBeUndefined();
      frames.over(stream);
    }
    expect(frames.judge(Buffer.concat([data(1), data(3999), data(1, END_STREAM)])).broken).toBeUndefined();
    // Nobody can have this under way any more.
    expect(frames.judge(data(3)).broken?.reason).toBe('a frame behind the end of its stream');
  });

  it('who leaves a thousand streams unfinished is stopped', () => {
    const frames = clientFrames(() => false);
    const streams = Array.from({ length: 1001 }, (_, index) => open(2 * index + 1));
    expect(frames.judge(Buffer.concat([start, ...streams.slice(0, -1)])).broken).toBeUndefined();
    expect(frames.judge(open(2001)).broken).toMatchObject({ reason: 'too many unfinished streams', latest: 1999 });
  });

  it('an answer to a PING passes while one is awaited', () => {
    const frames = clientFrames(() => true);
    expect(Buffer.concat(frames.judge(Buffer.concat([start, pong])).passed).equals(Buffer.concat([start, pong]))).toBe(
      true,
    );
  });

  it('a reset ends what its client may send, not what it may open', () => {
    const frames = clientFrames(() => false);
    const reset = frame(RST_STREAM, 0, 1, '\0\0\0\x08');
    expect(frames.judge(Buffer.concat([start, open(1), reset, reset, whole(3)])).broken).toBeUndefined();
    expect(frames.judge(data(1)).broken).toBeDefined();
  });
});

describe('whatever comes', () => {
  it('what passes is what came, without answers to no PING, up to where a rule is broken', () => {
    const any = fc.record({
      type: fc.integer({ min: 0, max: 10 }),
      flags: fc.constantFrom(0, 1, 4, 5, 8, 37, 255),
      stream: fc.constantFrom(0, 1, 2, 3, 5, 7, 0x7f_ff_ff_ff),
      payload: fc.uint8Array({ maxLength: 20 }),
    });
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 12 }), sizes, (list, pieces) => {
        const all = Buffer.concat([
          start,
          ...list.map(({ type, flags, stream, payload }) => frame(type, flags, stream, Buffer.from(payload))),
        ]);
        const once = inPieces(all, [all.length]);
        expect(inPieces(all, pieces)).toEqual(once);
        const isPong = (one: (typeof list)[number]): boolean =>
          one.type === PING && one.flags % 2 === 1 && one.stream === 0 && one.payload.length === 8;
        if (once.reason === undefined && !list.some(isPong)) expect(once.passed).toBe(all.toString('hex'));
      }),
    );
  });

  it('bytes that are no frames pass or do not', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const { passed } = clientFrames(() => false).judge(Buffer.from(bytes));
        expect(passed.reduce((sum, piece) => sum + piece.length, 0)).toBeLessThanOrEqual(bytes.length);
      }),
    );
  });
});

/** What passes of the bytes in pieces of these sizes, over and over, and what rule they break. A head that is not all there yet has not passed. */
function inPieces(
  all: Buffer,
  sizes: readonly number[],
): { readonly passed: string; readonly reason: string | undefined } {
  const frames = clientFrames(() => false);
  const passed: Buffer[] = [];
  let broken: BrokenRule | undefined;
  for (let at = 0, turn = 0; at < all.length && broken === undefined; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    const judged = frames.judge(all.subarray(at, at + size));
    passed.push(...judged.passed);
    ({ broken } = judged);
    at += size;
  }
  return { passed: Buffer.concat(passed).toString('hex'), reason: broken?.reason };
}
