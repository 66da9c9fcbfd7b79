import type { Origin } from '../attachment/policies/effective-policy.ts';
import { ProxyError } from '../base/proxy-error.ts';
import type { Received } from '../exchange/exchange.ts';
import type { Services } from './services.ts';
import type { Token } from './token-cache.ts';

/** What a cloud is asked to lend. */
export interface WantedFromCloud {
  readonly origin: Origin;
  /** Everything it depends on. */
  readonly content: readonly string[];
  readonly fetch: (exchange: Received) => Promise<Token>;
}

/** Milliseconds that an answer may take. */
const PATIENCE = 5_000;
/** Milliseconds before its end at which a token is no longer used. */
const MARGIN = 60_000;

/**
 * A token that a cloud lent before for the same, or a new one. Rejects with backendAuthenticationFailed when it cannot be asked, so that nobody
 * takes its failure for one of the backend: docs/decisions/cloud-credentials.md.
 */
export async function cloudToken(
  { origin: place, content, fetch: lend }: WantedFromCloud,
  exchange: Received,
  services: Services,
): Promise<string> {
  const fetch = (cancellation: Received['cancellation']): Promise<Token> => lend({ ...exchange, cancellation });
  try {
    const wanted = { place, content, fetch, patience: PATIENCE, margin: MARGIN };
    return await services.tokens.token(wanted, exchange.cancellation);
  } catch (error) {
    const isOurs = !(error instanceof ProxyError) || error.code === 'backendAuthenticationFailed';
    if (isOurs || error === exchange.cancellation.reason) throw error;
    throw new ProxyError('backendAuthenticationFailed', `no credential of a cloud: ${error.message}`, { cause: error });
  }
}
