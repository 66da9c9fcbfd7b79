import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Users } from './htpasswd.ts';
import { verifyInTurn } from './password-queue.ts';
import type { UserPassword } from './user-password.ts';

/** The users of one policy or Secret, and which passwords have been shown to be theirs. */
export interface UserTable {
  /** Rejects with a ProxyError when the proxy has no time to find out. */
  readonly accepts: (claimed: UserPassword) => Promise<boolean>;
}

/**
 * A client sends its password with every request, and bcrypt takes a tenth of a second. So a password that was
 * accepted is remembered, as a keyed hash, for as long as the file it was verified against stays the same; a refused
 * one is not, and costs its full price each time.
 */
export function userTable(users: Users): UserTable {
  const accepted = new LRUCache<string, true>({ max: MOST_REMEMBERED });
  const underWay = new Map<string, Promise<boolean>>();
  // Somebody unknown is verified against a hash too, so that the time does not tell who is known.
  const [decoy] = users.values();

  const find = async (name: string, password: string): Promise<boolean> => {
    const stored = users.get(name);
    if (stored !== undefined) return verifyInTurn(password, stored);
    if (decoy !== undefined) await verifyInTurn(password, decoy);
    return false;
  };

  return {
    accepts: async ({ name, password }) => {
      const key = rememberedAs(name, password);
      if (accepted.has(key)) return true;
      const known = underWay.get(key);
      if (known !== undefined) return known;
      const found = find(name, password);
      underWay.set(key, found);
      try {
        const verified = await found;
        if (verified) accepted.set(key, true);
        return verified;
      } finally {
        underWay.delete(key);
      }
    },
  };
}

const MOST_REMEMBERED = 1024;

/** Nothing that could be found again in a memory image of another process. */
function rememberedAs(name: string, password: string): string {
  return createHmac('sha256', SECRET)
    .update(JSON.stringify([name, password]))
    .digest('base64');
}

const SECRET = randomBytes(32);
