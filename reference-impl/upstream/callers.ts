import type { GrpcClients } from './grpc-clients.ts';
import type { HttpClient } from './http-client.ts';

/** What it takes to call a server. */
export interface Callers {
  readonly http: HttpClient;
  readonly grpc: GrpcClients;
  /** At least 0 and below 1; tests pass one they can foresee. */
  readonly random: () => number;
}
