import { createServer, type Server, type Socket } from 'node:net';
import { errorFields } from '../base/log.ts';
import type { Source } from '../exchange/exchange.ts';
import type { FrontendHTTP } from '../resources/proxy-policy/fields/frontend-http.ts';
import { countAtClose, timeHandshake } from './count-connection.ts';
import type { Wait } from './first-bytes.ts';
import { type ConnectionLimits, type DoorPlane, LIMITS } from './data-plane.ts';
import { createHttp1, type Http1 } from './http1.ts';
import { httpVersionOf } from './http-version.ts';
import { lifetimeLimits } from './http1-lifetime.ts';
import { createHttp2, type Http2 } from './http2.ts';
import type { Enter } from './inner-connection.ts';
import { keepAlive } from './keepalive.ts';
import { mayConnect } from './network-authorization.ts';
import { readProxyHeader } from './proxy-protocol.ts';
import { secure, withHandshake } from './secure.ts';
import { introduce, peerOf } from './source.ts';
import { type Refused, sparingly, tellRefusals } from './tell-refusals.ts';

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

/** The connections of one data port, under the limits of the plane. */
export function createFrontDoor(port: number, plane: DoorPlane): FrontDoor {
  const { clock } = plane;
  const { log } = plane.services;
  const limits = { ...LIMITS, ...plane.limits };
  const http1 = createHttp1(port, plane);
  const http2 = createHttp2(port, plane);
  const turnedAway = tellRefusals('connections closed', port, { clock, log });
  const door: Door = { port, plane, limits, http1, http2, turnedAway };
  const open = new Set<Socket>();
  /** Those whose first byte of HTTP is still to come. */
  const entering = new Set<Socket>();

  const enter: Enter = (socket, peer) => {
    open.add(socket);
    entering.add(socket);
    countAtClose(socket, port, plane);
    socket.once('close', () => open.delete(socket));
    // It ends with its error; whoever uses it hears of that in his own way.
    socket.on('error', ignore);
    void passDoor(socket, peer, door)
      .catch((error: unknown) => {
        log.error('connection failed', errorFields(error));
        socket.destroy();
      })
      .finally(() => entering.delete(socket));
  };

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    enter(socket, peerOf(socket));
  });
  server.maxConnections = limits.mostConnections;
  // A connection beyond the limit is closed at once.
  const logDrops = sparingly(clock, (refused) => {
    log.warn('connections refused', { port, refused, most: limits.mostConnections });
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

/** What a connection is let in by. */
interface Door {
  readonly port: number;
  readonly plane: DoorPlane;
  readonly limits: ConnectionLimits;
  readonly http1: Http1;
  readonly http2: Http2;
  /** Hears why a connection was closed. */
  readonly turnedAway: Refused;
}

/** THE DOOR: what a connection passes, in this order (FRONT-013). One that may not pass is closed without a word. */
async function passDoor(accepted: Socket, peer: Source, door: Door): Promise<void> {
  const { port, plane, limits } = door;
  const { clock, services } = plane;
  const bind = plane.view().binds.get(port);
  if (bind === undefined) return void accepted.destroy();
  const { frontend } = bind;
  const http = frontend.http ?? {};
  keepAlive(accepted, frontend.tcp?.keepalive);
  const headerWait = { clock, patience: limits.proxyHeaderTimeout };
  const source = await readProxyHeader(accepted, peer, frontend.proxyProtocol, headerWait);
  if (typeof source === 'string') return turnAway(accepted, source, door);
  if (!mayConnect(source, frontend.networkAuthorization)) return turnAway(accepted, 'networkAuthorization', door);
  const noteHandshake = timeHandshake(port, plane);
  const socket = await secure(accepted, bind, { clock, log: services.log });
  if (socket !== accepted) noteHandshake(socket === undefined ? 'failed' : 'ok');
  if (socket === undefined) return void accepted.destroy();
  introduce(socket, withHandshake(source, socket));
  const version = await httpVersionOf(socket, firstWord(http, door));
  if (version === 'ended') socket.destroy();
  else if (version === 'timeout') door.http1.refuseSlow(socket);
  else if (version === 'HTTP/1') door.http1.accept(socket, http);
  else door.http2.accept(socket, http);
}

function turnAway(socket: Socket, reason: string, { turnedAway }: Door): void {
  turnedAway(reason);
  socket.destroy();
}

/** The wait for the first word of a client: one that never says any idles as one does that says none any more. */
function firstWord(http: FrontendHTTP, { plane: { clock }, limits }: Door): Wait {
  const { idle, age = Infinity } = lifetimeLimits(http, limits.idleTimeout);
  return { clock, patience: Math.min(limits.headTimeout, idle, age) };
}

function ignore(): void {}
