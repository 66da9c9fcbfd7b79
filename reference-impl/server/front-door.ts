import { createServer, type Server, type Socket } from 'node:net';
import { errorFields } from '../base/log.ts';
import type { Source } from '../exchange/exchange.ts';
import type { FrontendHTTP } from '../resources/proxy-policy/fields/frontend-http.ts';
import { countAtClose, timeHandshake } from './count-connection.ts';
import type { Wait } from './first-bytes.ts';
import { createHttp1, type DoorPlane, LIMITS } from './http1.ts';
import { httpVersionOf } from './http-version.ts';
import { lifetimeLimits } from './http1-lifetime.ts';
import { createHttp2 } from './http2.ts';
import type { Enter } from './inner-connection.ts';
import { keepAlive } from './keepalive.ts';
import { mayConnect } from './network-authorization.ts';
import { readProxyHeader } from './proxy-protocol.ts';
import { secure, withHandshake } from './secure.ts';
import { introduce, peerOf } from './source.ts';
import { sparingly, tellRefusals } from './tell-refusals.ts';

/** One data port: everything that happens to a connection before its first request. */
export interface FrontDoor {
  /** The caller makes it listen. */
  readonly server: Server;
  /** For a connection that comes out of a tunnel (CONNECT-004). */
  readonly enter: Enter;
  /** Accepts no more connections and ends those that wait for their next request; requests under way are answered. */
  readonly drain: () => void;
  /** Cuts the connections that are left. */
  readonly cut: () => void;
}

export function createFrontDoor(port: number, plane: DoorPlane): FrontDoor {
  const { clock } = plane;
  const { log } = plane.services;
  const { headTimeout, idleTimeout, proxyHeaderTimeout, mostConnections } = { ...LIMITS, ...plane.limits };
  const http1 = createHttp1(port, plane);
  const open = new Set<Socket>();
  /** Those whose first byte of HTTP is still to come. */
  const entering = new Set<Socket>();
  /** For the first word of a client: one that never says any idles as one does that says none any more. */
  const waitFor = (http: FrontendHTTP): Wait => {
    const { idle, age = Infinity } = lifetimeLimits(http, idleTimeout);
    return { clock, patience: Math.min(headTimeout, idle, age) };
  };
  const headerWait = { clock, patience: proxyHeaderTimeout };
  const http2 = createHttp2(port, plane);

  const closed = tellRefusals('connections closed', port, { clock, log });
  const turnAway = (socket: Socket, reason: string): void => {
    closed(reason);
    socket.destroy();
  };

  /** THE DOOR: what a connection passes, in this order (FRONT-013). One that may not pass is closed without a word. */
  const pass = async (accepted: Socket, peer: Source): Promise<void> => {
    const bind = plane.view().binds.get(port);
    if (bind === undefined) return void accepted.destroy();
    const { frontend } = bind;
    const http = frontend.http ?? {};
    const wait = waitFor(http);
    keepAlive(accepted, frontend.tcp?.keepalive);
    const source = await readProxyHeader(accepted, peer, frontend.proxyProtocol, headerWait);
    if (typeof source === 'string') return turnAway(accepted, source);
    if (!mayConnect(source, frontend.networkAuthorization)) return turnAway(accepted, 'networkAuthorization');
    const noteHandshake = timeHandshake(port, plane);
    const socket = await secure(accepted, bind, { clock, log });
    if (socket !== accepted) noteHandshake(socket === undefined ? 'failed' : 'ok');
    if (socket === undefined) return void accepted.destroy();
    introduce(socket, withHandshake(source, socket));
    const version = await httpVersionOf(socket, wait);
    if (version === 'ended') socket.destroy();
    else if (version === 'timeout') http1.refuseSlow(socket);
    else if (version === 'HTTP/1') http1.accept(socket, http);
    else http2.accept(socket, http);
  };

  const enter: Enter = (socket, peer) => {
    open.add(socket);
    entering.add(socket);
    countAtClose(socket, port, plane);
    socket.once('close', () => open.delete(socket));
    // It ends with its error; whoever uses it hears of that in his own way.
    socket.on('error', ignore);
    void pass(socket, peer)
      .catch((error: unknown) => {
        log.error('connection failed', errorFields(error));
        socket.destroy();
      })
      .finally(() => entering.delete(socket));
  };

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    enter(socket, peerOf(socket));
  });
  server.maxConnections = mostConnections;
  // A connection beyond the limit is closed at once.
  const logDrops = sparingly(clock, (refused) => {
    log.warn('connections refused', { port, refused, most: mostConnections });
  });
  server.on('drop', logDrops);

  return {
    server,
    enter,
    drain: () => {
      server.close();
      for (const socket of entering) socket.destroy();
      http1.drain();
      http2.drain();
    },
    cut: () => {
      for (const socket of open) socket.destroy();
    },
  };
}

function ignore(): void {}
