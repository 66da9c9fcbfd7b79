import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Body } from '../../base/body.ts';
import { replayable } from '../../base/replay.ts';

interface Source extends Body {
  readonly cancelled: () => number;
}

function sourceOf(pieces: readonly string[], length?: number): Source {
  const rest = pieces.map((piece) => Buffer.from(piece));
  let cancels = 0;
  return {
    read: () => Promise.resolve(rest.shift()),
    cancel: () => {
      cancels += 1;
    },
    length,
    takeAll: () => Buffer.concat(rest.splice(0)),
    cancelled: () => cancels,
  };
}

async function text(body: Body, reads = Number.POSITIVE_INFINITY): Promise<string> {
  const pieces: Uint8Array[] = [];
  for (let count = 0; count < reads; count += 1) {
    const piece = await body.read();
    if (piece === undefined) break;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

describe('a body that can be sent again', () => {
  test('is the same for every reader, however far the one before had come', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ minLength: 1, maxLength: 4 }), { maxLength: 8 }),
        fc.array(fc.nat(9), { maxLength: 4 }),
        fc.boolean(),
        async (pieces, stops, atOnce) => {
          const replay = replayable(sourceOf(pieces), 1000);
          for (const reads of stops) await text(replay.again(), reads);
          expect(replay.intact()).toBe(true);
          const last = replay.again();
          expect(atOnce ? Buffer.from(last.takeAll?.() ?? []).toString() : await text(last)).toBe(pieces.join(''));
          expect(await text(replay.again())).toBe(pieces.join(''));
        },
      ),
    );
  });

  test('is whole when its end was read, or as many bytes as were declared', async () => {
    const unknown = replayable(sourceOf(['ab', 'cd']), 10);
    const reader = unknown.again();
    await text(reader, 2);
    expect(unknown.whole()).toBe(false);
    await reader.read();
    expect(unknown.whole()).toBe(true);
    const declared = replayable(sourceOf(['ab', 'cd'], 4), 10);
    await text(declared.again(), 2);
    expect(declared.whole()).toBe(true);
  });

  test('is not kept beyond the limit, and its reader gets all of it once', async () => {
    const replay = replayable(sourceOf(['ab', 'cd', 'ef', 'gh']), 5);
    const reader = replay.again();
    expect(await text(reader, 2)).toBe('abcd');
    expect(replay.intact()).toBe(true);
    expect(await text(reader)).toBe('efgh');
    expect([replay.intact(), replay.whole()]).toEqual([false, false]);
  });

  test('does not lose a piece that a former reader was waiting for', async () => {
    const { promise, resolve } = Promise.withResolvers<Uint8Array | undefined>();
    const pieces: Promise<Uint8Array | undefined>[] = [promise];
    const read = (): Promise<Uint8Array | undefined> => pieces.shift() ?? Promise.resolve(undefined);
    const replay = replayable({ read, cancel: () => {}, length: undefined }, 10);
    const former = text(replay.again());
    const latter = text(replay.again());
    resolve(Buffer.from('late'));
    expect(await latter).toBe('late');
    expect(await former).toBe('');
  });

  test('is cut off only when the last reader wants no more', async () => {
    const source = sourceOf(['ab', 'cd']);
    const replay = replayable(source, 10);
    const first = replay.again();
    await first.read();
    first.cancel();
    const second = replay.again();
    expect(source.cancelled()).toBe(0);
    expect(await text(second, 1)).toBe('ab');
    first.cancel();
    second.cancel();
    expect(source.cancelled()).toBe(0);
    replay.letGo();
    expect(source.cancelled()).toBe(1);
  });
});
