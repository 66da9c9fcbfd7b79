import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Cancellation } from '../../../base/cancellation.ts';
import { networkOf } from '../../../credentials/passwords/client-network.ts';
import { lastingState, type Services } from '../../../credentials/services.ts';
import type { Received } from '../../../exchange/exchange.ts';
import type { Users } from './htpasswd.ts';
import type { UserPassword } from './user-password.ts';

/**
 * Whether the name and the password are those of one of the users. Rejects with a ProxyError when the proxy has no time
 * to find out, and with the reason of the cancellation.
 *
 * A client sends its password with every request, and bcrypt takes a tenth of a second. So a password that was
 * accepted is remembered, as a keyed hash, for as long as the file it was verified against stays the same; a refused
 * one is not, and costs its full price each time.
 */
export async function acceptsUser(
  users: Users,
  claimed: UserPassword,
  services: Services,
  { source, cancellation }: Pick<Received, 'source' | 'cancellation'>,
): Promise<boolean> {
  const { accepted, underWay } = knownPasswords(services, users);
  const key = hashOf(claimed);
  if (accepted.has(key)) return true;
  const check = underWay.get(key) ?? startCheck(users, claimed, services, networkOf(source.address));
  underWay.set(key, check);
  const forget = (): void => {
    if (underWay.get(key) === check) underWay.delete(key);
  };
  const release = join(check, cancellation, forget);
  try {
    const verified = await check.found;
    if (verified) accepted.set(key, true);
    return verified;
  } finally {
    release();
    forget();
  }
}

const MOST_REMEMBERED = 1024;

interface KnownPasswords {
  readonly accepted: LRUCache<string, true>;
  readonly underWay: Map<string, Check>;
}

/** One verification, for all requests that came with the same name and password meanwhile. */
interface Check {
  readonly found: Promise<boolean>;
  readonly cancellation: Cancellation;
  /** How many requests still want to know. */
  wanted: number;
}

const knownPasswords = lastingState<Users, KnownPasswords>(() => ({
  accepted: new LRUCache({ max: MOST_REMEMBERED }),
  underWay: new Map(),
}));

/** Who asks first stands in line for all who want to know the same. */
function startCheck(users: Users, claimed: UserPassword, { passwords }: Services, client: string): Check {
  const cancellation = new Cancellation();
  const place = { owner: users, client };
  const verify = (stored: string): Promise<boolean> =>
    passwords.verify({ password: claimed.password, stored, place, cancellation });
  return { found: verifyUser(users, claimed.name, verify), cancellation, wanted: 0 };
}

/** The check ends early when the last client that waits for it has gone. */
function join(check: Check, cancellation: Cancellation, forget: () => void): () => void {
  check.wanted += 1;
  return cancellation.onCancel((reason) => {
    check.wanted -= 1;
    if (check.wanted > 0) return;
    forget();
    check.cancellation.cancel(reason);
  });
}

async function verifyUser(users: Users, name: string, verify: (stored: string) => Promise<boolean>): Promise<boolean> {
  const stored = users.get(name);
  if (stored !== undefined) return verify(stored);
  // Somebody unknown is verified against a hash too, so that the time does not tell who is known.
  const [decoy] = users.values();
  if (decoy !== undefined) await verify(decoy);
  return false;
}

/** Nothing that could be found again in a memory image of another process. */
function hashOf({ name, password }: UserPassword): string {
  return hash('sha256', `${SECRET}${JSON.stringify([name, password])}`, 'base64');
}

// Long enough that nobody can try passwords against the hashes; they never leave the process, so nothing stronger is needed.
const SECRET = randomBytes(32).toString('base64');
