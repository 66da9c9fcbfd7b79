import type { Origin } from '../../attachment/policies/effective-policy.ts';
import { Cancellation } from '../../base/cancellation.ts';
import { parseDuration } from '../../base/duration.ts';
import { HeaderMap } from '../../base/headers.ts';
import { ProxyError } from '../../base/proxy-error.ts';
import { readBody } from '../../base/read-body.ts';
import type { Received } from '../../exchange/exchange.ts';
import type { RemoteJWKS } from '../../resources/proxy-policy/fields/jwks.ts';
import type { Response } from '../../upstream/http-call.ts';
import { callHttp } from '../../upstream/peer-call.ts';
import { lastingState, type Services } from '../services.ts';
import { NO_KEYS, parseKeySet, type KeySet } from './key-set.ts';
import type { KeySetSource } from './key-set-source.ts';

/** JWT-012: 5 minutes. */
const DEFAULT_CACHE_DURATION = 300_000;
/** The share of the cache duration after which a request causes a refresh that nobody waits for. */
const REFRESH_AHEAD = 0.8;
/** Milliseconds one fetch may take, and so the longest a request waits for it. */
const FETCH_LIMIT = 10_000;
const MAX_BYTES = 1024 * 1024;
/** Milliseconds between attempts: doubled after each failure. */
const BACK_OFF = { first: 200, last: 15_000 };

/** What is known of a key set between two fetches. Times are those of the monotonic clock. */
interface Cache {
  keys: KeySet;
  fetchedAt: number;
  /** In a row, since the last success. */
  failures: number;
  retryAt: number;
  fetching: Promise<void> | undefined;
}

/**
 * JWT-010: keys that are fetched from a server when first needed and again as they grow old. One fetch at a time; a
 * failed one keeps the keys that are there.
 */
export function remoteKeySet(remote: RemoteJWKS, origin: Origin): KeySetSource {
  const cacheDuration = parseDuration(remote.cacheDuration ?? '') ?? DEFAULT_CACHE_DURATION;
  return (exchange, services) => {
    const cache = cacheOf(services, remote);
    const now = exchange.clock.monotonic();
    const age = now - cache.fetchedAt;
    if (age < cacheDuration * REFRESH_AHEAD) return cache.keys;
    if (cache.fetching === undefined && now >= cache.retryAt)
      cache.fetching = refresh(cache, { remote, origin }, exchange, services);
    // JWT-013: keys that are too old are not used, unless their server just failed to give new ones.
    const mustWait = age >= cacheDuration && (cache.failures === 0 || cache.keys === NO_KEYS);
    return mustWait && cache.fetching !== undefined ? cache.fetching.then(() => cache.keys) : cache.keys;
  };
}

const cacheOf = lastingState<RemoteJWKS, Cache>(() => ({
  keys: NO_KEYS,
  fetchedAt: -Infinity,
  failures: 0,
  retryAt: -Infinity,
  fetching: undefined,
}));

/** Where the keys are, and whose reference to it that is. */
interface Source {
  readonly remote: RemoteJWKS;
  readonly origin: Origin;
}

/** Never rejects. */
async function refresh(cache: Cache, source: Source, exchange: Received, services: Services): Promise<void> {
  const { clock } = exchange;
  const { remote } = source;
  try {
    cache.keys = await fetchKeys(source, exchange, services);
    cache.fetchedAt = clock.monotonic();
    cache.failures = 0;
    const { unusable } = cache.keys;
    if (unusable.length > 0) services.log.warn('unusable keys', { jwksPath: remote.jwksPath, unusable });
  } catch (error) {
    cache.retryAt = clock.monotonic() + Math.min(BACK_OFF.first * 2 ** cache.failures, BACK_OFF.last);
    cache.failures += 1;
    const reason = error instanceof Error ? error.message : String(error);
    services.log.warn('key set not fetched', { jwksPath: remote.jwksPath, server: remote.backendRef.name, reason });
  } finally {
    cache.fetching = undefined;
  }
}

/** Rejects with the reason there are no keys. The fetch is nobody's request: it goes on when that client is gone. */
async function fetchKeys({ remote, origin }: Source, exchange: Received, services: Services): Promise<KeySet> {
  const { backendRef, jwksPath } = remote;
  const backend = exchange.view.references.backend(backendRef, origin);
  if ('unresolved' in backend) throw new ProxyError('backendNotFound', backend.message);
  const cancellation = new Cancellation();
  const inTime = exchange.clock.after(FETCH_LIMIT, () => {
    cancellation.cancel(new ProxyError('upstreamCallTimeout', `no key set within ${FETCH_LIMIT} ms`));
  });
  try {
    // JWT-011
    const target = jwksPath.startsWith('/') ? jwksPath : `/${jwksPath}`;
    const request = { method: 'GET', target, headers: ACCEPT, body: undefined };
    const options = { cancellation, timeout: FETCH_LIMIT };
    return await keysOf(await callHttp(exchange, backend, request, services, options));
  } finally {
    inTime();
  }
}

async function keysOf({ status, body }: Response): Promise<KeySet> {
  if (status !== 200) {
    body?.cancel();
    throw new ProxyError('upstreamCallFailed', `status ${status}`);
  }
  const { bytes, overflow, rest } = await readBody(body, MAX_BYTES);
  if (overflow) {
    rest.cancel();
    throw new ProxyError('upstreamCallFailed', `a key set of more than ${MAX_BYTES} bytes`);
  }
  const keys = parseKeySet(Buffer.from(bytes).toString('utf8'));
  if (keys === undefined) throw new ProxyError('upstreamCallFailed', 'what came is no JSON Web Key Set');
  return keys;
}

const ACCEPT = HeaderMap.of([['accept', 'application/json']]);
