import { describe, expect, test, vi } from 'vitest';
import { parseHtpasswd } from '../../../../policies/traffic/basic-authentication/htpasswd.ts';
import type { verifyInTurn } from '../../../../policies/traffic/basic-authentication/password-queue.ts';
import { userTable } from '../../../../policies/traffic/basic-authentication/user-table.ts';
import { VECTORS } from './vectors.ts';

const queue = vi.hoisted(() => ({ verifyInTurn: vi.fn() }));
vi.mock('../../../../policies/traffic/basic-authentication/password-queue.ts', async (original) => {
  const { verifyInTurn: real } = await original<{ verifyInTurn: typeof verifyInTurn }>();
  queue.verifyInTurn.mockImplementation(real);
  return queue;
});

const [vector] = VECTORS;
const table = (): ReturnType<typeof userTable> =>
  userTable(parseHtpasswd(`ada:${vector?.bcrypt}\nbob:${vector?.sha1}`));
const ada = { name: 'ada', password: 'open sesame' };

describe('a table of users', () => {
  test('an accepted password is hashed once, also when requests with it come together', async () => {
    const users = table();
    queue.verifyInTurn.mockClear();
    expect(await Promise.all([users.accepts(ada), users.accepts(ada), users.accepts(ada)])).toEqual([true, true, true]);
    expect(await users.accepts(ada)).toBe(true);
    expect(queue.verifyInTurn).toHaveBeenCalledTimes(1);
  });

  test('a refused password is hashed every time', async () => {
    const users = table();
    queue.verifyInTurn.mockClear();
    expect(await users.accepts({ ...ada, password: 'wrong' })).toBe(false);
    expect(await users.accepts({ ...ada, password: 'wrong' })).toBe(false);
    expect(queue.verifyInTurn).toHaveBeenCalledTimes(2);
  });

  test('who is unknown costs as much as who is known, and is refused with the password of another', async () => {
    const users = table();
    queue.verifyInTurn.mockClear();
    expect(await users.accepts({ ...ada, name: 'nobody' })).toBe(false);
    expect(queue.verifyInTurn).toHaveBeenCalledExactlyOnceWith('open sesame', vector?.bcrypt);
  });

  test('what is remembered is neither the password nor bound to the name alone', async () => {
    const users = table();
    expect(await users.accepts(ada)).toBe(true);
    expect(await users.accepts({ ...ada, password: 'wrong' })).toBe(false);
    expect(await users.accepts({ name: 'ada","open', password: 'sesame' })).toBe(false);
    expect(await table().accepts(ada)).toBe(true);
  });

  test('an empty file lets nobody in', async () => {
    expect(await userTable(new Map()).accepts(ada)).toBe(false);
  });

  test('more waiting passwords than the proxy can verify are refused with processingFailed', async () => {
    const users = table();
    const asked = Array.from({ length: 600 }, (_, at) => users.accepts({ name: 'bob', password: `wrong ${at}` }));
    const settled = await Promise.allSettled(asked);
    const refused = settled.filter((outcome) => outcome.status === 'rejected');
    expect(refused).toHaveLength(600 - 512);
    expect(refused[0]?.reason).toMatchObject({ code: 'processingFailed' });
    expect(settled.filter((outcome) => outcome.status === 'fulfilled' && !outcome.value)).toHaveLength(512);
  });
});
