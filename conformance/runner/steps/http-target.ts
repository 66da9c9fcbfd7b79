import type { Endpoint } from '../sut/session.ts';
import type { Failure } from './failure.ts';
import type { Observation } from './step.ts';
import type { TlsClient } from './tls-client.ts';

/** Where a call goes, beyond what it says itself. */
export interface HttpTarget extends Endpoint {
  /** Value of the Host header, whatever the address is. */
  readonly hostHeader: string;
  /** Name of a connection shared by steps; otherwise the call has its own. */
  readonly connection?: string | undefined;
  /** `1.1` or `2`; 1.1 when absent. */
  readonly version?: string | undefined;
  /** Plain when absent. */
  readonly tls?: TlsClient | undefined;
}

/** How it went: why there is no whole answer, and what the handshake said. */
export interface Ending {
  readonly failure: Failure | undefined;
  readonly handshake: Observation | undefined;
}
