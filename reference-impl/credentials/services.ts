import type { Log } from '../base/log.ts';
import type { Callers } from '../upstream/callers.ts';
import type { HealthRegister } from '../upstream/health/register.ts';
import type { TokenCache } from './token-cache.ts';

/** What handling a request needs of the world besides the exchange; `cli/serve` puts it together once. */
export interface Services extends Callers {
  /** What is known of the endpoints. */
  readonly health: HealthRegister;
  /** What others lent the proxy to show it to backends. */
  readonly tokens: TokenCache;
  readonly log: Log;
}
