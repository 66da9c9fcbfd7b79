import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import type { Endpoint } from '../attachment/view.ts';
import type { Clock } from '../base/clock.ts';
import { ProxyError } from '../base/proxy-error.ts';
import { dial, type DialOptions } from './dial.ts';
import { endpointText, pickEndpoint } from './endpoints.ts';
import { tlsOptions } from './tls.ts';

/** Bytes the head of a proxy server's answer may have. */
const MOST_BYTES = 8 * 1024;

type Done = (error: Error | null, socket: Socket | null) => void;

/**
 * Opens a connection through the proxy server of `options.tunnel`: CONNECT for the endpoint itself, and TLS inside
 * (TUNNEL-001, TUNNEL-002, TUNNEL-003). `done` gets the socket, or why there is none: the endpoint is never dialled in
 * another way (TUNNEL-004, docs/decisions/proxy-servers.md). Throws upstreamCallFailed for settings that cannot be used.
 */
export function dialThrough(endpoint: Endpoint, options: DialOptions, clock: Clock, done: Done): void {
  const { tunnel, tls, connectTimeout } = options;
  if (tunnel === undefined || tunnel.unusable !== undefined) throw tunnelFailure(tunnel?.unusable ?? 'no proxy server');
  const secure = tls === undefined ? undefined : tlsOptions(tls, endpoint);
  const proxy = pickEndpoint(tunnel.endpoints, Math.random);
  dial(proxy, tunnel.dial, clock, (problem, socket) => {
    if (socket === null) return done(problem, null);
    const stop = clock.after(connectTimeout, () => {
      socket.destroy(new ProxyError('upstreamCallTimeout', `no connection within ${connectTimeout} ms`));
    });
    const failed = (error: Error): void => {
      stop();
      socket.destroy();
      done(error, null);
    };
    const ready = (inner: Socket): void => {
      stop();
      inner.off('error', failed);
      done(null, inner);
    };
    socket.once('error', failed);
    askFor(endpoint, socket, failed, () => {
      if (secure === undefined) return ready(socket);
      const inner = connectSecurely({ ...secure, socket });
      socket.off('error', failed);
      // What happens to the connection below is an error of the one above.
      socket.on('error', (error) => inner.destroy(error));
      inner.once('error', failed);
      inner.once('secureConnect', () => {
        ready(inner);
      });
    });
  });
}

/** `opened` is called when what is written to the socket from now on arrives at the endpoint. */
function askFor(endpoint: Endpoint, socket: Socket, failed: (error: Error) => void, opened: () => void): void {
  const authority = endpointText(endpoint);
  let received = Buffer.alloc(0);
  const stopReading = (): void => {
    socket.off('data', read);
    socket.off('end', ended);
  };
  const ended = (): void => {
    stopReading();
    failed(tunnelFailure('the proxy server closed the connection'));
  };
  const read = (chunk: Buffer): void => {
    received = Buffer.concat([received, chunk]);
    const end = received.indexOf('\r\n\r\n');
    if (end === -1 && received.length <= MOST_BYTES) return;
    stopReading();
    const [line = ''] = received.toString('latin1').split('\r\n', 1);
    if (end === -1 || !/^HTTP\/1\.[01] 200(?: |$)/.test(line)) {
      failed(tunnelFailure(`the proxy server answered ${line.slice(0, 100)}`));
      return;
    }
    socket.pause();
    const rest = received.subarray(end + 4);
    if (rest.length > 0) socket.unshift(rest);
    opened();
  };
  socket.on('data', read);
  socket.once('end', ended);
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
}

function tunnelFailure(why: string): ProxyError {
  return new ProxyError('upstreamCallFailed', why);
}
