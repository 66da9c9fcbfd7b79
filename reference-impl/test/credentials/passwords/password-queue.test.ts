import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { Cancellation } from '../../../base/cancellation.ts';
import { createPasswordQueue, type PasswordCheck } from '../../../credentials/passwords/password-queue.ts';
import { VECTORS } from './vectors.ts';

const [vector] = VECTORS;
const [attacked, other] = [{}, {}];
const THREADS = Math.min(4, availableParallelism());
const ROOM = 128;

function check(owner: object, password: string, cancellation = new Cancellation()): PasswordCheck {
  return { password, stored: vector?.sha1 ?? '', owner, cancellation };
}

test('a password of one owner does not wait for all of another owner', async () => {
  const { verify } = createPasswordQueue();
  const order: string[] = [];
  const flood = Array.from({ length: 100 }, async (_, at) => {
    await verify({ ...check(attacked, `wrong ${at}`), stored: vector?.apr1 ?? '' });
    order.push('attacked');
  });
  expect(await verify(check(other, 'open sesame'))).toBe(true);
  order.push('other');
  await Promise.all(flood);
  // In the order of arrival it would be the last; a thread that waits for a CPU lets others pass.
  expect(order.indexOf('other')).toBeLessThan(80);
});

test('what waits beyond the room of its owner is refused with processingFailed, others are not', async () => {
  const { verify } = createPasswordQueue();
  const flood = Array.from({ length: 600 }, (_, at) => verify(check(attacked, `wrong ${at}`)));
  const [settled, verified] = await Promise.all([Promise.allSettled(flood), verify(check(other, 'open sesame'))]);
  const refused = settled.filter((outcome) => outcome.status === 'rejected');
  expect(refused).toHaveLength(600 - ROOM - THREADS);
  expect(refused[0]?.reason).toMatchObject({ code: 'processingFailed' });
  expect(settled.filter((outcome) => outcome.status === 'fulfilled' && !outcome.value)).toHaveLength(ROOM + THREADS);
  expect(verified).toBe(true);
});

test('a check whose client has gone makes room at once', async () => {
  const { verify } = createPasswordQueue();
  const client = new Cancellation();
  const flood = Array.from({ length: ROOM + THREADS }, () => verify(check(attacked, 'wrong', client)));
  client.cancel(new Error('gone'));
  const next = verify(check(attacked, 'open sesame'));
  const settled = await Promise.allSettled(flood);
  expect(settled.every((outcome) => outcome.status === 'rejected')).toBe(true);
  expect(await next).toBe(true);
});
