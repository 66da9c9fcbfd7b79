import type { Log } from '../base/log.ts';
import type { HttpClient } from '../upstream/http-client.ts';

/** What handling a request needs of the world besides the exchange; `main.ts` puts it together once. */
export interface Services {
  readonly http: HttpClient;
  /** At least 0 and below 1; tests pass one they can foresee. */
  readonly random: () => number;
  readonly log: Log;
}
