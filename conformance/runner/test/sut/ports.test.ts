import { expect, test } from 'vitest';
import { freePort } from '../../sut/ports.ts';

test('ports do not run out, and none comes back soon', async () => {
  const given: number[] = [];
  for (let n = 0; n < 6_100; n++) given.push(await freePort());
  const again = given.filter((port, n) => given.slice(Math.max(0, n - 2_999), n).includes(port));
  expect(again).toEqual([]);
  expect(Math.min(...given)).toBeGreaterThanOrEqual(26_000);
  expect(Math.max(...given)).toBeLessThan(32_000);
});
