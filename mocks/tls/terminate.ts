import type { Server, Socket } from 'node:net';
import { createServer, TLSSocket } from 'node:tls';
import type { TlsOptions } from 'node:tls';
import type { TlsScript } from './script.ts';
import { serverIdentity, suiteCertificates } from './suite.ts';

/** What a connection said about itself in its handshake; part of what the ledger shows. */
export interface Handshake {
  /** SNI; null when none was sent. */
  readonly serverName: string | null;
  /** ALPN as the client offered it; empty when it offered nothing. */
  readonly offered: readonly string[];
  readonly alpn: string | null;
  readonly version: string | null;
  /** Common name of the certificate the client showed; null when it showed none or was not asked. */
  readonly clientCertificate: string | null;
}

/** Who a listener is when the script does not say otherwise: protocols, best first, and the address its certificate is for. */
export interface Front {
  readonly alpn: readonly string[];
  readonly address: string;
}

/** A listener that ends TLS and gives what is inside to `inner`, a server that knows nothing about it. */
export function terminateTls(inner: Server, script: TlsScript, front: Front): Server {
  const transports = new Map<string, Socket>();
  const outer = createServer(optionsOf(script, front));
  outer.on('connection', (socket: Socket) => {
    const key = keyOf(socket);
    transports.set(key, socket);
    socket.once('close', () => transports.delete(key));
  });
  outer.on('secureConnection', (socket) => {
    const transport = transports.get(keyOf(socket));
    if (transport !== undefined) carriedBy.set(socket, transport);
    socket.on('error', ignoreLostPeer);
    inner.emit('connection', socket);
  });
  // A client that does not like the certificate leaves; the case sees it as a connection without a request.
  outer.on('tlsClientError', ignoreLostPeer);
  return outer;
}

/** The TCP connection under a connection, which is itself where there is no TLS. */
export function transportOf(socket: Socket): Socket {
  return carriedBy.get(socket) ?? socket;
}

/** What the handshake said; undefined without TLS. */
export function handshakeOf(socket: unknown): Handshake | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const { servername, alpnProtocol } = socket;
  const { subject } = socket.getPeerCertificate();
  const commonName: unknown = subject?.CN;
  return {
    serverName: typeof servername === 'string' ? servername : null,
    offered: offers.get(socket) ?? [],
    alpn: typeof alpnProtocol === 'string' ? alpnProtocol : null,
    version: socket.getProtocol(),
    clientCertificate: typeof commonName === 'string' ? commonName : null,
  };
}

const carriedBy = new WeakMap<Socket, Socket>();
const offers = new WeakMap<TLSSocket, readonly string[]>();

function optionsOf(script: TlsScript, front: Front): TlsOptions {
  const { alpn = front.alpn, groups, clientCertificate } = script === true ? {} : script;
  const { certificate, key } = serverIdentity(script, front.address);
  return {
    cert: certificate,
    key,
    ca: suiteCertificates().ca,
    requestCert: clientCertificate !== undefined,
    rejectUnauthorized: clientCertificate === 'require',
    ...(groups === undefined ? {} : { ecdhCurve: groups.join(':') }),
    // node calls it with the connection as `this`, the only way to know whose offer it is.
    ALPNCallback(this: unknown, { protocols }) {
      if (this instanceof TLSSocket) offers.set(this, protocols);
      return alpn.find((protocol) => protocols.includes(protocol));
    },
  };
}

function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

// A peer that goes away is part of every case; the ledger records what that means for a request.
function ignoreLostPeer(): void {}
