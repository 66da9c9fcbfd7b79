import { connect, type Socket } from 'node:net';
import type { Clock } from '../base/clock.ts';
import { ProxyError } from '../base/proxy-error.ts';
import type { Endpoint } from '../attachment/view.ts';

/** How a connection to an endpoint is opened and kept. */
export interface DialOptions {
  /** BTCP-002: milliseconds the endpoint has to accept. */
  readonly connectTimeout: number;
  /** BTCP-001: silence before the first probe, in milliseconds; undefined leaves keepalive off. */
  readonly keepalive: number | undefined;
}

/** Opens a connection. `done` gets the socket, or an upstreamCallTimeout or the error of the operating system. */
export function dial(
  endpoint: Endpoint,
  options: DialOptions,
  clock: Clock,
  done: (error: Error | null, socket: Socket | null) => void,
): Socket {
  const socket = connect(
    endpoint.kind === 'unix'
      ? { path: endpoint.path }
      : { host: endpoint.host, port: endpoint.port, autoSelectFamily: true },
  );
  socket.setNoDelay(true);
  if (options.keepalive !== undefined) socket.setKeepAlive(true, options.keepalive);

  const stop = clock.after(options.connectTimeout, () => {
    socket.destroy(new ProxyError('upstreamCallTimeout', `no connection within ${options.connectTimeout} ms`));
  });
  const failed = (error: Error): void => {
    stop();
    done(error, null);
  };
  socket.once('error', failed);
  socket.once('connect', () => {
    stop();
    socket.off('error', failed);
    done(null, socket);
  });
  return socket;
}
