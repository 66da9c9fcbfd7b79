import { Pool } from 'undici';
import { perObject } from '../base/per-object.ts';
import type { Endpoint } from '../attachment/view.ts';
import type { DialOptions, Tunnel } from './dial.ts';
import { skipInterimAnswers } from './interim-answers.ts';
import { type Dialer, openConnection } from './open-connection.ts';

/** Connections that wait for their next request, per endpoint and way of dialling. */
export interface Pools {
  readonly poolFor: (endpoint: Endpoint, options: DialOptions) => Pool;
  /** Cuts all connections. */
  readonly close: () => Promise<void>;
}

/** Endpoints come and go with the configuration; beyond this many pools the longest unused idle one is closed. */
const MOST_POOLS = 1024;

export function createPools(dialer: Dialer): Pools {
  const pools = new Map<string, Pool>();

  return {
    poolFor: (endpoint, options) => {
      const key = placeOf(options)(endpoint);
      const known = pools.get(key);
      if (known !== undefined) return known;
      if (pools.size >= MOST_POOLS) closeIdle(pools);
      const pool = openPool(endpoint, options, dialer);
      pools.set(key, pool);
      return pool;
    },
    close: async () => {
      const open = [...pools.values()];
      pools.clear();
      await Promise.all(open.map((pool) => pool.destroy()));
    },
  };
}

/**
 * The same text for the same endpoint or options, and for no other: who shares a connection shares its server name, its client certificate, its
 * checks and the way it takes (BTLS-004, BTLS-007, BTLS-013, TUNNEL-001). Computed once per object of the configuration.
 */
export const keyOf = perObject((part: Endpoint | DialOptions): string =>
  JSON.stringify('kind' in part ? whereOf(part) : howOf(part)),
);

/** The key of a pool. */
const placeOf = perObject((options: DialOptions) =>
  perObject((endpoint: Endpoint) => keyOf(endpoint) + keyOf(options)),
);

function whereOf(endpoint: Endpoint): readonly unknown[] {
  return endpoint.kind === 'unix' ? [endpoint.path] : [endpoint.host, endpoint.port];
}

function howOf({ connectTimeout, keepalive, tls, tunnel }: DialOptions): readonly unknown[] {
  const probes = keepalive && [keepalive.time, keepalive.interval, keepalive.retries];
  return [connectTimeout, probes, tls?.fingerprint, tunnel && wayOf(tunnel)];
}

function wayOf({ endpoints, dial: options, unusable }: Tunnel): readonly unknown[] {
  return [endpoints.map(keyOf), keyOf(options), unusable];
}

/** The client library opens a new connection when it believes that the server name changed, so it is told this one. */
export const POOL_NAME = 'upstream';

function openPool(endpoint: Endpoint, options: DialOptions, dialer: Dialer): Pool {
  return new Pool(`${options.tls === undefined ? 'http' : 'https'}://${POOL_NAME}`, {
    connect: (_, callback) => {
      openConnection(endpoint, options, dialer, (error, socket) => {
        if (socket === null) callback(error ?? new Error('no connection'), null);
        else callback(null, skipInterimAnswers(socket));
      });
    },
    pipelining: 1,
    // The proxy has its own deadlines, and an event stream may be silent for as long as it likes.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 4000,
    keepAliveMaxTimeout: 90_000,
    maxHeaderSize: 64 * 1024,
  });
}

/** Closes the oldest pool without a request in flight; a Map keeps its keys in the order of their arrival. */
function closeIdle(pools: Map<string, Pool>): void {
  for (const [key, pool] of pools) {
    const { running, pending, queued } = pool.stats;
    if (running + pending + queued > 0) continue;
    pools.delete(key);
    // Nothing is in flight, so there is nothing left to fail.
    void pool.destroy();
    return;
  }
}
