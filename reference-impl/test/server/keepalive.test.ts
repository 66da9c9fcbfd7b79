import { Socket } from 'node:net';
import { expect, it, vi } from 'vitest';
import { keepAlive } from '../../server/keepalive.ts';

it.each([
  [undefined, []],
  [{ time: '45s', interval: '5s', retries: 3 }, [[{ enable: true, initialDelay: 45_000, interval: 5000, count: 3 }]]],
  // FRONT-038
  [{ retries: 2 }, [[{ enable: true, initialDelay: 180_000, interval: 180_000, count: 2 }]]],
  [{ time: '1m' }, [[{ enable: true, initialDelay: 60_000, interval: 180_000, count: 9 }]]],
])('the kernel is told all of %j', (settings, told) => {
  const socket = new Socket();
  const set = vi.spyOn(socket, 'setKeepAlive');
  keepAlive(socket, settings);
  expect(set.mock.calls).toEqual(told);
});
