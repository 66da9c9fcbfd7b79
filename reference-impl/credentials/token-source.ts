import type { Received } from '../exchange/exchange.ts';
import type { Services } from './services.ts';

/** Gives the token that a request shows, a kept one where there is one. Rejects with a ProxyError when none can be had. */
export interface TokenSource {
  readonly token: (exchange: Received, services: Services) => Promise<string>;
}
