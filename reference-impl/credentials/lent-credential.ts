import type { VariableSource } from '../cel/program.ts';
import type { Request, Targeted } from '../exchange/exchange.ts';
import type { Services } from './services.ts';

/** A credential that is asked for, or made, request by request: exchanged for a token of the client, lent by a cloud, signed. */
export interface LentCredential {
  /** An expression reads the request body, so that must be read first (`prepareRequest`). */
  readonly readsBody: boolean;
  /**
   * The request without the tokens it was lent for, and with what was lent in its place. Rejects with a ProxyError when
   * there is nothing to show: such a request is not sent.
   */
  readonly show: (exchange: Targeted, variables: VariableSource, services: Services) => Promise<Request>;
}
