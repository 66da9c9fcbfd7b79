import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TlsScript } from './tls/script.ts';
import { terminateTls, transportOf } from './tls/terminate.ts';

/** Where a mock can be reached, and the way to end it. */
export interface Bound {
  readonly host: string;
  /** 0 for a Unix domain socket. */
  readonly port: number;
  readonly socketPath?: string;
  readonly tls?: true;
  readonly close: () => Promise<void>;
}

export interface Where {
  readonly host: string;
  readonly port?: number;
  readonly unix?: boolean;
  /** TLS in front of the server, which sees what is inside. Not over Unix domain sockets. */
  readonly tls?: TlsScript | undefined;
  /** Protocols the server speaks, for ALPN; HTTP/1.1 when absent. */
  readonly alpn?: readonly string[];
  /** Told of each TCP connection as it is accepted, before any TLS. */
  readonly onAccept?: (socket: Socket) => void;
}

/** Binds `server`; rejects with the system's error (EADDRINUSE, EACCES) when that is impossible. */
export async function listen(inner: Server, where: Where): Promise<Bound> {
  if (where.tls !== undefined && where.unix === true) throw new RangeError('a peer has tls or unix, not both');
  const { tls, alpn = ['http/1.1'], host } = where;
  const server = tls === undefined ? inner : terminateTls(inner, tls, { alpn, address: host });
  const sockets = track(server);
  if (where.onAccept !== undefined) server.on('connection', where.onAccept);
  const socketPath = where.unix === true ? join(mkdtempSync(join(placeOfSockets(), 'conform-')), SOCKET) : undefined;
  if (socketPath !== undefined) await bind(server, { path: socketPath });
  else if (where.port !== undefined && where.port !== 0) await bind(server, { host, port: where.port });
  else await bindToNextPort(server, host);
  const close = (): Promise<void> => closeAll(server, sockets, socketPath);
  if (socketPath !== undefined) return { host: where.host, port: 0, socketPath, close };
  return { host: where.host, port: portOf(server), ...(where.tls === undefined ? {} : { tls: true }), close };
}

const SOCKET = 'mock.sock';
/** Bytes that the address of a Unix socket has room for on macOS; on Linux it is four more. */
const LONGEST_SOCKET_PATH = 103;

/** The usual place of temporary files, unless its path is too long for a socket, as those of build sandboxes are. */
function placeOfSockets(): string {
  const place = tmpdir();
  return Buffer.byteLength(join(place, 'conform-123456', SOCKET)) <= LONGEST_SOCKET_PATH ? place : '/tmp';
}

async function bind(server: Server, at: { host: string; port: number } | { path: string }): Promise<void> {
  server.listen(at);
  // Leaves no listener behind when it fails: a mock may have to try many ports.
  await once(server, 'listening');
}

// Below the range from which systems take ports for outgoing connections, and below the ports the runner gives to implementations.
const FIRST_PORT = 16_000;
const PORTS = 10_000;
let lastPort = Math.floor(Math.random() * PORTS);

/** One port after the other: whatever an implementation still sends to a mock that has ended must not reach the mock of another case. */
async function bindToNextPort(server: Server, host: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    lastPort = (lastPort + 1) % PORTS;
    try {
      return await bind(server, { host, port: FIRST_PORT + lastPort });
    } catch (error) {
      if (attempt === PORTS || !isTaken(error)) throw error;
    }
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES');
}

/**
 * A port that refuses connections for as long as it is kept. It is the near end of an open connection: taken, so that
 * nobody else is given it, and listened on by nobody.
 */
export async function refuse(where: Where): Promise<Bound> {
  const far = createServer();
  const sockets = track(far);
  await new Promise<void>((resolve) => far.listen({ host: where.host, port: 0 }, resolve));
  const near = connect({ host: where.host, port: portOf(far), localPort: where.port ?? 0 });
  await new Promise<void>((resolve, reject) => near.once('connect', resolve).once('error', reject));
  near.on('error', ignoreLostPeer);
  sockets.add(near);
  return { host: where.host, port: near.localPort ?? 0, close: () => closeAll(far, sockets, undefined) };
}

/** Ends a connection with a TCP reset, under TLS too, where the connection above goes with the one below. */
export function resetConnection(socket: Socket): void {
  transportOf(socket).resetAndDestroy();
}

// A peer that goes away is part of every case; the ledger records what that means for a request.
function ignoreLostPeer(): void {}

function track(server: Server): Set<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', ignoreLostPeer);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

async function closeAll(server: Server, sockets: ReadonlySet<Socket>, socketPath: string | undefined): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const socket of sockets) socket.destroy();
  await closed;
  if (socketPath !== undefined) rmSync(dirname(socketPath), { recursive: true, force: true });
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  return address === null || typeof address === 'string' ? 0 : address.port;
}
