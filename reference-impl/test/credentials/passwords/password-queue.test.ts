import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { Cancellation } from '../../../base/cancellation.ts';
import { createPasswordQueue, type PasswordCheck } from '../../../credentials/passwords/password-queue.ts';
import type { Place } from '../../../credentials/passwords/turns.ts';
import { VECTORS } from './vectors.ts';

const [vector] = VECTORS;
const [attacked, other] = [
  { owner: {}, client: 'attacker' },
  { owner: {}, client: 'attacker' },
];
const neighbour = { ...attacked, client: 'neighbour' };
const THREADS = Math.min(4, availableParallelism());
const ROOM = 128;

function check(place: Place, password: string, cancellation = new Cancellation()): PasswordCheck {
  return { password, stored: vector?.sha1 ?? '', place, cancellation };
}

test.each([
  ['owner', other],
  ['client of the same owner', neighbour],
])('a password does not wait for all of another %s', async (_another, place) => {
  const { verify } = createPasswordQueue();
  const order: string[] = [];
  const flood = Array.from({ length: 100 }, async (_, at) => {
    await verify({ ...check(attacked, `wrong ${at}`), stored: vector?.apr1 ?? '' });
    order.push('attacked');
  });
  expect(await verify(check(place, 'open sesame'))).toBe(true);
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

test('who has less waiting than another client takes the room of it', async () => {
  const { verify } = createPasswordQueue();
  const flood = Array.from({ length: ROOM + THREADS }, (_, at) => verify(check(attacked, `wrong ${at}`)));
  const [settled, verified] = await Promise.all([Promise.allSettled(flood), verify(check(neighbour, 'open sesame'))]);
  expect(verified).toBe(true);
  expect(settled.map(({ status }) => status).lastIndexOf('rejected')).toBe(ROOM + THREADS - 1);
  expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(1);
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
