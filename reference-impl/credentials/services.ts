import type { Log } from '../base/log.ts';
import { perObject } from '../base/per-object.ts';
import type { Callers } from '../upstream/callers.ts';
import type { HealthRegister } from '../upstream/health/register.ts';
import type { PasswordQueue } from './passwords/password-queue.ts';
import type { TokenCache } from './token-cache.ts';

/*
 * WHAT OUTLIVES A REQUEST. All of it hangs on the Services, which are put together once: two programs in one process
 * share none of it. What follows from configuration alone is not here: it is computed once and remembered (`perObject`).
 *
 * | what                  | where                          | key                             | until                    | at most             |
 * | --------------------- | ------------------------------ | ------------------------------- | ------------------------ | ------------------- |
 * | connections           | http: pools.ts                 | endpoint and way of dialling    | idle for 4 to 90 s       | 1,024 pools         |
 * | gRPC sessions         | grpc: grpc-clients.ts          | the same                        | idle for 60 s            | 256                 |
 * | health of endpoints   | health: health/register.ts     | names of backend and endpoint   | the names are gone       | one per endpoint    |
 * | tokens for backends   | tokens: token-cache.ts         | name of the resource, content   | they end, the name is gone | 8,192 per resource |
 * | passwords under way   | passwords: password-queue.ts   | number of the question          | verified                 | 512                 |
 * | accepted passwords    | accepted-passwords.ts              | list of users; name and password | the list changes        | 1,024 per list      |
 * | keys of token issuers | remote-key-set.ts              | `jwks.remote` as written        | it changes               | 1 MiB each          |
 * | buckets               | rate-limit/local.ts            | entry of `rateLimit.local`      | it changes               | two numbers each    |
 * | decisions             | ext-auth/cache.ts              | `extAuth.cache`; values of `key` | ttl, or it changes      | maxEntries, 64 MiB  |
 *
 * The first five are members; the others belong to something that was compiled, and are declared with `lastingState`. A
 * value of a resource that is still there after a change of configuration is compiled to the same object, so what hangs on
 * it survives changes of everything else.
 */

/** What handling a request needs of the world besides the exchange; `cli/serve` puts it together once. */
export interface Services extends Callers {
  /** What is known of the endpoints. */
  readonly health: HealthRegister;
  /** What others lent the proxy to show it to backends. */
  readonly tokens: TokenCache;
  /** Whether clients know their passwords. */
  readonly passwords: PasswordQueue;
  readonly log: Log;
}

/**
 * Declares state that outlives a request: made for its owner when somebody first asks, and gone with the owner, which is
 * an object that configuration was compiled to.
 */
export function lastingState<Owner extends object, State>(
  create: (owner: Owner) => State,
): (services: Services, owner: Owner) => State {
  const statesOf = perObject((_: Services) => perObject(create));
  return (services, owner) => statesOf(services)(owner);
}
