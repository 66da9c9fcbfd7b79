import { array, assert, asyncProperty, nat, uint8Array } from 'fast-check';
import { expect, it } from 'vitest';
import type { Body } from '../../base/body.ts';
import { readBody, recordBody } from '../../base/read-body.ts';

function pieces(chunks: readonly Uint8Array[]): Body {
  const left = chunks.filter((chunk) => chunk.byteLength > 0);
  return { read: () => Promise.resolve(left.shift()), cancel: () => {}, length: undefined };
}

const body = array(uint8Array({ maxLength: 20 }), { maxLength: 10 });

it('reads at most the limit, says when there is more, and gives everything again', async () => {
  await assert(
    asyncProperty(body, nat(60), async (chunks, limit) => {
      const all = Buffer.concat(chunks);
      const { bytes, overflow, rest } = await readBody(pieces(chunks), limit);
      expect(overflow).toBe(all.byteLength > limit);
      expect(Buffer.from(bytes)).toEqual(all.subarray(0, limit));
      expect(Buffer.from((await readBody(rest, 1000)).bytes)).toEqual(all);
    }),
  );
});

it('keeps a prefix aside and passes every byte on', async () => {
  await assert(
    asyncProperty(body, nat(60), async (chunks, limit) => {
      const all = Buffer.concat(chunks);
      const kept: Uint8Array[] = [];
      const passed = await readBody(
        recordBody(pieces(chunks), limit, (prefix) => kept.push(prefix)),
        1000,
      );
      expect(Buffer.from(passed.bytes)).toEqual(all);
      expect(kept.map((prefix) => Buffer.from(prefix))).toEqual([all.subarray(0, limit)]);
    }),
  );
});
