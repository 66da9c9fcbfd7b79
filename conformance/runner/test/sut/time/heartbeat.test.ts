import { expect, test } from 'vitest';
import { createHeartbeat } from '../../../sut/time/heartbeat.ts';

test('an answer that is late counts as lost, as long as it looks slow and not gone', async () => {
  let now = 0;
  const heartbeat = createHeartbeat(() => now);
  const answer = Promise.withResolvers<void>();
  const stop = heartbeat.start(async () => answer.promise);
  expect(heartbeat.loss(25)).toBe(0);
  now = 40;
  expect(heartbeat.loss(25)).toBe(0);
  now = 60;
  expect(heartbeat.loss(25)).toBe(10);
  now = 400;
  expect(heartbeat.loss(25)).toBe(25);
  now = 5000;
  expect(heartbeat.loss(25)).toBe(0);
  stop();
  answer.resolve();
  await answer.promise;
});

test('nothing on its way, nothing lost; a request that fails is no heartbeat that is late', async () => {
  let now = 0;
  const heartbeat = createHeartbeat(() => now);
  const failed = Promise.withResolvers<void>();
  const stop = heartbeat.start(async () => failed.promise);
  failed.reject(new Error('refused'));
  await failed.promise.catch(() => undefined);
  stop();
  await new Promise((resolve) => setImmediate(resolve));
  now = 1000;
  expect(heartbeat.loss(100)).toBe(0);
});
