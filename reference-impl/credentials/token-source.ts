import type { Targeted } from '../exchange/exchange.ts';
import type { LentCredential } from './lent-credential.ts';
import { putCredential } from './put-credential.ts';
import type { Services } from './services.ts';
import { BEARER } from '../resources/proxy-policy/fields/location.ts';

/** Gives the token that a request shows, a kept one where there is one. Rejects with a ProxyError when none can be had. */
export interface TokenSource {
  readonly token: (exchange: Targeted, services: Services) => Promise<string>;
}

/** Tokens of a cloud stand where its services look for them. */
export function bearerToken({ token }: TokenSource): LentCredential {
  return {
    readsBody: false,
    show: async (exchange, _, services) => putCredential(exchange.request, BEARER, await token(exchange, services)),
  };
}
