import type { GrpcClients } from './grpc-clients.ts';
import type { HttpClient } from './http-client.ts';
import type { Connected } from './open-connection.ts';

/** What it takes to call a server. */
export interface Callers {
  readonly http: HttpClient;
  readonly grpc: GrpcClients;
  /** Hears of connections that are opened for other than HTTP. */
  readonly connected?: Connected | undefined;
  /** At least 0 and below 1; tests pass one they can foresee. */
  readonly random: () => number;
}
