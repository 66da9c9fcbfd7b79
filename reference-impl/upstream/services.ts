import type { Log } from '../base/log.ts';
import type { GrpcClients } from './grpc-clients.ts';
import type { HealthRegister } from './health/register.ts';
import type { HttpClient } from './http-client.ts';

/** What handling a request needs of the world besides the exchange; `cli/serve` puts it together once. */
export interface Services {
  readonly http: HttpClient;
  readonly grpc: GrpcClients;
  /** What is known of the endpoints. */
  readonly health: HealthRegister;
  /** At least 0 and below 1; tests pass one they can foresee. */
  readonly random: () => number;
  readonly log: Log;
}
