import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { decodedAside } from '../../../../backends/ai/streams/decode-aside.ts';
import { sseCutter } from '../../../../backends/ai/streams/sse.ts';
import type { StreamEvent } from '../../../../backends/ai/streams/stream-event.ts';
import type { EventReader } from '../../../../backends/ai/streams/watch.ts';

const EVENTS = 'data: {"a":1}\n\ndata: [DONE]\n\n';

async function readAll(reader: EventReader | undefined, pieces: readonly Uint8Array[]): Promise<readonly unknown[]> {
  const events: StreamEvent[] = [];
  for (const piece of pieces) events.push(...((await reader?.push(piece)) ?? []));
  events.push(...((await reader?.end()) ?? []));
  return events.map(({ data }) => data);
}

test.each([
  ['gzip', gzipSync(EVENTS)],
  ['br', brotliCompressSync(EVENTS)],
  ['identity', Buffer.from(EVENTS)],
  [undefined, Buffer.from(EVENTS)],
])('a stream that passes as %s is read on the side, wherever it is cut', async (encoding, bytes) => {
  const pieces = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
  expect(await readAll(decodedAside(encoding, sseCutter()), pieces)).toEqual(['{"a":1}', '[DONE]']);
});

test('an event is read when it came, not when the stream is over', async () => {
  const reader = decodedAside('gzip', sseCutter());
  const events = await reader?.push(gzipSync('data: 1\n\n', { finishFlush: constants.Z_SYNC_FLUSH }));
  expect(events?.map(({ data }) => data)).toEqual(['1']);
});

test('what is not what it says says nothing, and fails nobody', async () => {
  const reader = decodedAside('gzip', sseCutter());
  expect(await readAll(reader, [Buffer.from(EVENTS), Buffer.from(EVENTS)])).toEqual([]);
  expect(decodedAside('compress', sseCutter())).toBeUndefined();
});
