import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { lastingState, type Services } from '../../../credentials/services.ts';
import type { Users } from './htpasswd.ts';
import type { UserPassword } from './user-password.ts';

/**
 * Whether the name and the password are those of one of the users. Rejects with a ProxyError when the proxy has no time
 * to find out.
 *
 * A client sends its password with every request, and bcrypt takes a tenth of a second. So a password that was
 * accepted is remembered, as a keyed hash, for as long as the file it was verified against stays the same; a refused
 * one is not, and costs its full price each time.
 */
export async function acceptsUser(users: Users, claimed: UserPassword, services: Services): Promise<boolean> {
  const { accepted, underWay } = knownPasswords(services, users);
  const key = hashOf(claimed);
  if (accepted.has(key)) return true;
  const known = underWay.get(key);
  if (known !== undefined) return known;
  const found = verifyUser(users, claimed, services);
  underWay.set(key, found);
  try {
    const verified = await found;
    if (verified) accepted.set(key, true);
    return verified;
  } finally {
    underWay.delete(key);
  }
}

const MOST_REMEMBERED = 1024;

interface KnownPasswords {
  readonly accepted: LRUCache<string, true>;
  readonly underWay: Map<string, Promise<boolean>>;
}

const knownPasswords = lastingState<Users, KnownPasswords>(() => ({
  accepted: new LRUCache({ max: MOST_REMEMBERED }),
  underWay: new Map(),
}));

async function verifyUser(users: Users, { name, password }: UserPassword, { passwords }: Services): Promise<boolean> {
  const stored = users.get(name);
  if (stored !== undefined) return passwords.verify(password, stored);
  // Somebody unknown is verified against a hash too, so that the time does not tell who is known.
  const [decoy] = users.values();
  if (decoy !== undefined) await passwords.verify(password, decoy);
  return false;
}

/** Nothing that could be found again in a memory image of another process. */
function hashOf({ name, password }: UserPassword): string {
  return createHmac('sha256', SECRET)
    .update(JSON.stringify([name, password]))
    .digest('base64');
}

const SECRET = randomBytes(32);
