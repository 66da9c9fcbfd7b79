import type { VariableSource } from '../cel/program.ts';
import type { Received, Request } from '../exchange/exchange.ts';
import type { Services } from './services.ts';

/** A credential that others lend the proxy, request by request, for a token of the client. */
export interface LentCredential {
  /** An expression reads the request body, so that must be read first (`prepareRequest`). */
  readonly readsBody: boolean;
  /**
   * The request without the tokens it was lent for, and with what was lent in its place. Rejects with a ProxyError when
   * there is nothing to show: such a request is not sent.
   */
  readonly show: (exchange: Received, variables: VariableSource, services: Services) => Promise<Request>;
}
