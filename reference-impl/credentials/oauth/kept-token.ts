import type { Origin } from '../../attachment/policies/effective-policy.ts';
import type { Cancellation } from '../../base/cancellation.ts';
import { parseDuration } from '../../base/duration.ts';
import { ProxyError, type ProxyErrorCode } from '../../base/proxy-error.ts';
import type { Received } from '../../exchange/exchange.ts';
import type { OAuthTokenExchange } from '../../resources/proxy-policy/fields/auth/oauth.ts';
import type { Services } from '../services.ts';
import type { IssuedToken } from './issued-token.ts';
import { unverifiedClaims } from './unverified-claims.ts';

/** A token for the tokens a client showed. */
export interface ExchangeOfTokens {
  readonly origin: Origin;
  readonly cache: OAuthTokenExchange['cache'];
  /** Everything the new token depends on. */
  readonly content: readonly string[];
  /** What the client showed: the new token is not used longer than they are good. */
  readonly shown: readonly string[];
  /** How many token endpoints are asked, one after the other. */
  readonly hops: number;
  readonly fetch: (exchange: Received) => Promise<IssuedToken>;
}

/** OAUTH-031: milliseconds a token is kept that does not say when it ends. */
const DEFAULT_TTL = 300_000;
/** Milliseconds one endpoint may take. */
const PATIENCE = 10_000;
/** Milliseconds before its end at which a token is no longer used. */
const MARGIN = 15_000;

/**
 * OAUTH-032, OAUTH-033: a token that was got before for the same, or a new one. Rejects with backendAuthenticationFailed
 * when the endpoints cannot be asked, or with what the client did wrong.
 */
export async function keptToken(wanted: ExchangeOfTokens, exchange: Received, services: Services): Promise<string> {
  const { origin: place, cache, content, hops } = wanted;
  const { maxEntries, defaultTtl } = cache?.inMemory ?? {};
  const ttl = parseDuration(defaultTtl ?? '') ?? DEFAULT_TTL;
  const fetch = async (cancellation: Cancellation): Promise<{ value: string; lifetime: number }> => {
    const askedAt = exchange.clock.wall();
    const { token, lifetime = ttl } = await wanted.fetch({ ...exchange, cancellation });
    return { value: token, lifetime: Math.min(lifetime, ...wanted.shown.map((shown) => restOf(shown, askedAt))) };
  };
  const terms = {
    patience: hops * PATIENCE,
    margin: MARGIN,
    ...(maxEntries === undefined ? {} : { most: maxEntries }),
  };
  try {
    return await services.tokens.token({ place, content, fetch, ...terms }, exchange.cancellation);
  } catch (error) {
    if (error === exchange.cancellation.reason || isToldAsIs(error)) throw error;
    const detail = error instanceof ProxyError ? `token exchange request failed: ${error.message}` : undefined;
    throw new ProxyError('backendAuthenticationFailed', detail, { cause: error });
  }
}

/** Milliseconds until the token ends, by its own word; for ever when it does not say. */
function restOf(token: string, now: number): number {
  const end = unverifiedClaims(token)?.['exp'];
  return typeof end === 'number' ? end * 1000 - now : Infinity;
}

const TOLD_AS_IS: ReadonlySet<ProxyErrorCode> = new Set(['invalidRequest', 'backendAuthenticationFailed']);

function isToldAsIs(error: unknown): boolean {
  return error instanceof ProxyError && TOLD_AS_IS.has(error.code);
}
