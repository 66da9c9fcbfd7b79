import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createUnread } from '../../admin/unread.ts';

const KIB = 1024;

/** An answer that nobody reads. */
function silentReader(): ServerResponse {
  return new ServerResponse(new IncomingMessage(new Socket()));
}

test('who leaves most lying is cut off once all together leave too much', () => {
  const logged: object[] = [];
  const unread = createUnread((_, fields = {}) => logged.push(fields), 1024 * KIB);
  const readers = Array.from({ length: 6 }, silentReader);
  for (const reader of readers) unread.write(reader, 'x'.repeat(150 * KIB));
  const [first] = readers;
  if (first === undefined) throw new Error('no reader');
  expect(readers.map(({ destroyed }) => destroyed)).toEqual(Array(6).fill(false));
  unread.write(first, 'x'.repeat(200 * KIB));
  expect(readers.map(({ destroyed }) => destroyed)).toEqual([true, false, false, false, false, false]);
  expect(logged).toHaveLength(1);
  unread.write(first, 'x'.repeat(200 * KIB));
  expect(logged).toHaveLength(1);
});

test('300 who read nothing hold no more than the budget together', () => {
  const unread = createUnread(() => {}, 1024 * KIB);
  const readers = Array.from({ length: 300 }, silentReader);
  for (let turn = 0; turn < 20; turn += 1) for (const reader of readers) unread.write(reader, 'x'.repeat(20 * KIB));
  const held = readers.filter(({ destroyed }) => !destroyed).map(({ writableLength }) => writableLength);
  expect(held.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(1024 * KIB + 300 * 64 * KIB);
});
