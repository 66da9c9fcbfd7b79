import { describe, expect, test, vi } from 'vitest';
import { Cancellation } from '../../../../base/cancellation.ts';
import { createPasswordQueue } from '../../../../credentials/passwords/password-queue.ts';
import { acceptsUser } from '../../../../policies/traffic/basic-authentication/accepted-passwords.ts';
import { parseHtpasswd } from '../../../../policies/traffic/basic-authentication/htpasswd.ts';
import type { UserPassword } from '../../../../policies/traffic/basic-authentication/user-password.ts';
import { VECTORS } from '../../../credentials/passwords/vectors.ts';
import { SERVICES } from '../../../support/inert.ts';

const [vector] = VECTORS;
const ada = { name: 'ada', password: 'open sesame' };
const { verify } = createPasswordQueue();
const CLIENT = { source: { address: '192.0.2.1', port: 1024 }, cancellation: new Cancellation() };

/** The users of one file, the services they are asked with, and what is verified for them. */
function table(text = `ada:${vector?.bcrypt}\nbob:${vector?.sha1}`) {
  const verifying = vi.fn(verify);
  const services = { ...SERVICES, passwords: { verify: verifying } };
  const users = parseHtpasswd(text);
  return {
    verifying,
    services,
    users,
    accepts: (claimed: UserPassword, cancellation = new Cancellation()) =>
      acceptsUser(users, claimed, services, { ...CLIENT, cancellation }),
  };
}

describe('a table of users', () => {
  test('an accepted password is hashed once, also when requests with it come together', async () => {
    const users = table();
    expect(await Promise.all([users.accepts(ada), users.accepts(ada), users.accepts(ada)])).toEqual([true, true, true]);
    expect(await users.accepts(ada)).toBe(true);
    expect(users.verifying).toHaveBeenCalledTimes(1);
  });

  test('a refused password is hashed every time', async () => {
    const users = table();
    expect(await users.accepts({ ...ada, password: 'wrong' })).toBe(false);
    expect(await users.accepts({ ...ada, password: 'wrong' })).toBe(false);
    expect(users.verifying).toHaveBeenCalledTimes(2);
  });

  test('who is unknown costs as much as who is known, and is refused with the password of another', async () => {
    const users = table();
    expect(await users.accepts({ ...ada, name: 'nobody' })).toBe(false);
    expect(users.verifying).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ password: 'open sesame', stored: vector?.bcrypt }),
    );
  });

  test('who asks stands in line with the rest of his network', async () => {
    const { users, services, verifying } = table();
    const from = (address: string) => acceptsUser(users, ada, services, { ...CLIENT, source: { address, port: 1 } });
    await from('192.0.2.9');
    await acceptsUser(users, { ...ada, password: 'wrong' }, services, {
      ...CLIENT,
      source: { address: '2001:db8::9', port: 1 },
    });
    expect(verifying.mock.calls.map(([{ place }]) => place.client)).toEqual(['192.0.2.9', '2001:db8:0:0::/64']);
  });

  test('what is remembered is neither the password nor bound to the name alone', async () => {
    const users = table();
    expect(await users.accepts(ada)).toBe(true);
    expect(await users.accepts({ ...ada, password: 'wrong' })).toBe(false);
    expect(await users.accepts({ name: 'ada","open', password: 'sesame' })).toBe(false);
    expect(await table().accepts(ada)).toBe(true);
  });

  test('what is remembered hangs on the services and on the users, and on nothing else', async () => {
    const { users, services, verifying, accepts } = table();
    await accepts(ada);
    await acceptsUser(users, ada, { ...services }, CLIENT);
    await acceptsUser(parseHtpasswd(`ada:${vector?.bcrypt}`), ada, services, CLIENT);
    expect(verifying).toHaveBeenCalledTimes(3);
    await acceptsUser(users, ada, services, CLIENT);
    expect(verifying).toHaveBeenCalledTimes(3);
  });

  test('an empty file lets nobody in', async () => {
    expect(await table('').accepts(ada)).toBe(false);
  });

  test('a check that two clients wait for goes on while one of them is there, and ends with the last', async () => {
    const users = table();
    const [first, second, third] = [new Cancellation(), new Cancellation(), new Cancellation()];
    const asked = [users.accepts(ada, first), users.accepts(ada, second)];
    first.cancel(new Error('gone'));
    expect(await asked[1]).toBe(true);
    await asked[0];
    const alone = users.accepts({ ...ada, password: 'wrong' }, third);
    third.cancel(new Error('gone'));
    await expect(alone).rejects.toThrow('gone');
    expect(await users.accepts({ ...ada, password: 'wrong' })).toBe(false);
  });
});
