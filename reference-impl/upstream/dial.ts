import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import type { Clock } from '../base/clock.ts';
import { ProxyError } from '../base/proxy-error.ts';
import type { Endpoint } from '../attachment/view.ts';
import { tlsOptions, type TlsSettings } from './tls.ts';

/** How a connection to an endpoint is opened and kept. */
export interface DialOptions {
  /** BTCP-002: milliseconds the endpoint has to accept, its TLS handshake included. */
  readonly connectTimeout: number;
  /** BTCP-001: how the kernel probes a silent endpoint; undefined leaves it alone. */
  readonly keepalive: Probes | undefined;
  /** Set when the connection is encrypted. */
  readonly tls?: TlsSettings;
  /** Set when a proxy server leads there. */
  readonly tunnel?: Tunnel;
}

/** Times in milliseconds. */
export interface Probes {
  /** Silence before the first one. */
  readonly time: number;
  /** From one to the next. */
  readonly interval: number;
  /** Unanswered ones that end the connection. */
  readonly retries: number;
}

/** TUNNEL-001: a proxy server on the way. */
export interface Tunnel {
  readonly endpoints: readonly Endpoint[];
  readonly dial: DialOptions;
  /** Why there is no way: the reference leads nowhere. */
  readonly unusable: string | undefined;
}

/**
 * Opens a connection. `done` gets the socket, or an upstreamCallTimeout or the error of the operating system or of TLS.
 * Throws upstreamCallFailed when the TLS settings cannot be used. A tunnel is not looked at: see `dialThrough`.
 */
export function dial(
  endpoint: Endpoint,
  options: DialOptions,
  clock: Clock,
  done: (error: Error | null, socket: Socket | null) => void,
): Socket {
  const where =
    endpoint.kind === 'unix'
      ? { path: endpoint.path }
      : { host: endpoint.host, port: endpoint.port, autoSelectFamily: true };
  const { tls } = options;
  const socket = tls === undefined ? connect(where) : connectSecurely({ ...where, ...tlsOptions(tls, endpoint) });
  socket.setNoDelay(true);
  if (options.keepalive !== undefined) {
    const { time, interval, retries } = options.keepalive;
    socket.setKeepAlive({ enable: true, initialDelay: time, interval, count: retries });
  }

  const stop = clock.after(options.connectTimeout, () => {
    socket.destroy(new ProxyError('upstreamCallTimeout', `no connection within ${options.connectTimeout} ms`));
  });
  const failed = (error: Error): void => {
    stop();
    done(error, null);
  };
  socket.once('error', failed);
  // BTLS-020: nobody writes before the other side is known to be who it should be.
  socket.once(tls === undefined ? 'connect' : 'secureConnect', () => {
    stop();
    socket.off('error', failed);
    done(null, socket);
  });
  return socket;
}
