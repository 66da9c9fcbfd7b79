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
  number,
  PING,
  PREFACE,
  PRIORITY,
  RST_STREAM,
  SETTINGS,
  settings,
  WINDOW_UPDATE,
} from '../support/http2-frames.ts';
import { holds } from '../support/holds.ts';

const FACTS = { awaitsPong: () => false, handed: () => 0 };
const start = Buffer.concat([Buffer.from(PREFACE), settings()]);
const whole = (stream: number): Buffer => frame(HEADERS, END_STREAM | END_HEADERS, stream, 'fields');
const open = (stream: number): Buffer => frame(HEADERS, END_HEADERS, stream, 'fields');
const data = (stream: number, flags = 0): Buffer => frame(DATA, flags, stream, 'x'.repeat(20));
const pong = frame(PING, ACK, 0, 'abcdefgh');

const LARGEST = 2 ** 31 - 1;
const widen = (stream: number, by: number): Buffer => frame(WINDOW_UPDATE, 0, stream, number(by));

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
    holds(
      fc.property(fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (sizes) => {
        expect(inPieces(all, sizes)).toEqual({
          passed: kept.toString('hex'),
          tooWide: [],
          reason: 'a frame behind the end of its stream',
        });
      }),
    );
  });

  it('a stream that stays open for long is as good as new, however many came and were left since', () => {
    const frames = clientFrames(FACTS);
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
    const frames = clientFrames(FACTS);
    const streams = Array.from({ length: 1001 }, (_, index) => open(2 * index + 1));
    expect(frames.judge(Buffer.concat([start, ...streams.slice(0, -1)])).broken).toBeUndefined();
    expect(frames.judge(open(2001)).broken).toMatchObject({ reason: 'too many unfinished streams', latest: 1999 });
  });

  it('an answer to a PING passes while one is awaited', () => {
    const frames = clientFrames({ ...FACTS, awaitsPong: () => true });
    expect(Buffer.concat(frames.judge(Buffer.concat([start, pong])).passed).equals(Buffer.concat([start, pong]))).toBe(
      true,
    );
  });

  it('a window that certainly becomes too large is that of a stream to reset, wherever the bytes are split', () => {
    const kept = [start, open(1), widen(0, LARGEST), widen(1, 1000), widen(1, LARGEST - 66_535)];
    const all = Buffer.concat([...kept, widen(1, 1), open(3), widen(3, LARGEST), widen(3, 0), widen(5, LARGEST)]);
    const passed = Buffer.concat([...kept, open(3), widen(3, 0), widen(5, LARGEST)]).toString('hex');
    holds(
      fc.property(fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (sizes) => {
        expect(inPieces(all, sizes)).toEqual({ passed, tooWide: [1, 3], reason: undefined });
      }),
    );
  });

  it('what a stream was given makes room in its window, and so does a smaller beginning', () => {
    const tooMuch = widen(1, LARGEST);
    const judged = (handed: number, ...sent: readonly Buffer[]): readonly number[] =>
      clientFrames({ ...FACTS, handed: () => handed }).judge(Buffer.concat([...sent, open(1), tooMuch])).tooWide;
    expect(judged(0, start)).toEqual([1]);
    expect(judged(65_534, start)).toEqual([1]);
    expect(judged(65_535, start)).toEqual([]);
    expect(judged(0, start, settings([4, 0]))).toEqual([]);
    expect(judged(0, start, settings([4, 0]), settings([1, 0], [4, 1]))).toEqual([1]);
    // Its own settings, which are acknowledged, are not the client's.
    expect(judged(0, start, frame(SETTINGS, ACK, 0))).toEqual([1]);
  });

  it('of ten thousand streams few windows are remembered, and none of a stream that is over', () => {
    const frames = clientFrames(FACTS);
    const widened = (stream: number): readonly number[] => frames.judge(widen(stream, LARGEST - 65_535)).tooWide;
    frames.judge(Buffer.concat([start, whole(20_001)]));
    for (let stream = 1; stream <= 20_001; stream += 2) expect(widened(stream)).toEqual([]);
    expect(widened(20_001)).toEqual([20_001]);
    expect(widened(1)).toEqual([]);
    frames.over(20_001);
    expect(widened(20_001)).toEqual([]);
  });

  it('of a large header block one portion passes in a turn, and nothing is lost between two', () => {
    const large = frame(HEADERS, END_STREAM | END_HEADERS, 1, 'f'.repeat(1200));
    const sent = Buffer.concat([start, large, whole(3)]);
    const { judge } = clientFrames(FACTS);
    const turns: Buffer[] = [];
    let left: Buffer | undefined = sent;
    while (left !== undefined) {
      const judged = judge(left, () => false);
      turns.push(Buffer.concat(judged.passed));
      ({ left } = judged);
    }
    expect(turns.map(({ length }) => length)).toEqual([start.length + 512, 512, 185, whole(3).length]);
    expect(Buffer.concat(turns)).toEqual(sent);
  });

  it.each([
    ['PING', 8, frame(PING, 0, 0, 'abcdefgh')],
    ['SETTINGS', 8, settings([4, 65_535])],
    ['WINDOW_UPDATE', 64, widen(0, 1)],
  ])('of %s %i pass in a turn', (_, most, one) => {
    const { judge } = clientFrames(FACTS);
    const { left = Buffer.alloc(0) } = judge(
      Buffer.concat([start, whole(1), ...Array.from({ length: 100 }, () => one)]),
      () => false,
    );
    const { passed } = judge(left, () => false);
    expect(Buffer.concat(passed).length / one.length).toBe(most);
  });

  it('a reset passes in the turn of its request, and the next request does not', () => {
    const reset = frame(RST_STREAM, 0, 1, number(8));
    const { passed, left } = clientFrames(FACTS).judge(Buffer.concat([start, whole(1), reset, whole(3)]), () => false);
    expect(Buffer.concat(passed)).toEqual(Buffer.concat([start, whole(1), reset]));
    expect(left).toEqual(whole(3));
  });

  it('a reset ends what its client may send, not what it may open', () => {
    const frames = clientFrames(FACTS);
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
    holds(
      fc.property(fc.array(any, { maxLength: 12 }), sizes, (list, pieces) => {
        const all = Buffer.concat([
          start,
          ...list.map(({ type, flags, stream, payload }) => frame(type, flags, stream, Buffer.from(payload))),
        ]);
        const once = inPieces(all, [all.length]);
        expect(inPieces(all, pieces)).toEqual(once);
        const isPong = (one: (typeof list)[number]): boolean =>
          one.type === PING && one.flags % 2 === 1 && one.stream === 0 && one.payload.length === 8;
        if (once.reason === undefined && once.tooWide.length === 0 && !list.some(isPong))
          expect(once.passed).toBe(all.toString('hex'));
      }),
    );
  });

  it('bytes that are no frames pass or do not', () => {
    holds(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const { passed } = clientFrames(FACTS).judge(Buffer.from(bytes));
        expect(passed.reduce((sum, piece) => sum + piece.length, 0)).toBeLessThanOrEqual(bytes.length);
      }),
    );
  });
});

/** What passes of the bytes in pieces of these sizes, over and over, and what rule they break. A head that is not all there yet has not passed. */
function inPieces(
  all: Buffer,
  sizes: readonly number[],
): { readonly passed: string; readonly tooWide: readonly number[]; readonly reason: string | undefined } {
  const frames = clientFrames(FACTS);
  const passed: Buffer[] = [];
  const tooWide: number[] = [];
  let broken: BrokenRule | undefined;
  for (let at = 0, turn = 0; at < all.length && broken === undefined; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    const judged = frames.judge(all.subarray(at, at + size));
    passed.push(...judged.passed);
    tooWide.push(...judged.tooWide);
    ({ broken } = judged);
    at += size;
  }
  return { passed: Buffer.concat(passed).toString('hex'), tooWide, reason: broken?.reason };
}
