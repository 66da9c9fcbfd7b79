import { X509Certificate, constants, randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import {
  createSecureContext,
  createServer,
  TLSSocket,
  type SecureContext,
  type SecureContextOptions,
  type Server,
} from 'node:tls';
import type { BindView, ClientValidation, Identity, ListenerTls } from '../attachment/view.ts';
import type { Clock } from '../base/clock.ts';
import { parseDuration } from '../base/duration.ts';
import type { Log } from '../base/log.ts';
import { perList } from '../base/per-list.ts';
import { perObject } from '../base/per-object.ts';
import type { Source } from '../exchange/exchange.ts';
import { handshakeOptions } from './cipher-suites.ts';
import { clientCertificate } from './client-certificate.ts';

export interface Handshaking {
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The connection that requests are read from: the one that was accepted, or TLS on it where the listeners of the port say so. Undefined
 * when the handshake came to nothing: the client has been told why by an alert, and the log in one line. docs/decisions/frontend-tls.md
 */
export function secure(
  accepted: Socket,
  bind: BindView,
  { clock, log }: Handshaking,
): Socket | Promise<Socket | undefined> {
  if (bind.listeners.every(({ tls }) => tls === undefined)) return accepted;
  const { server, awaited } = terminator(bind);
  return new Promise((resolve) => {
    const key = addressOf(accepted);
    const settle = (outcome: TLSSocket | string | undefined): void => {
      stop();
      accepted.off('close', gone);
      awaited.delete(key);
      if (typeof outcome === 'string') {
        log.warn('TLS handshake failed', { port: bind.port, client: accepted.remoteAddress, reason: outcome });
      }
      resolve(outcome instanceof TLSSocket ? outcome : undefined);
    };
    const gone = (): void => {
      settle(accepted.bytesRead > 0 ? 'the connection was closed' : undefined);
    };
    // TLSF-001, TLSF-002: from the first moment of the connection, however slowly its bytes come.
    const patience = bind.frontend.tls?.handshakeTimeout ?? '15s';
    const stop = clock.after(parseDuration(patience) ?? 15_000, () => {
      settle(`not finished in ${patience}`);
    });
    accepted.once('close', gone);
    awaited.set(key, settle);
    server.emit('connection', accepted);
  });
}

/** What is known of the client by the handshake, added to its source. */
export function withHandshake(source: Source, socket: Socket): Source {
  if (!(socket instanceof TLSSocket)) return source;
  const client = clientCertificate(socket);
  return { ...source, tls: { serverName: serverNameOf(socket), ...(client && { client }) } };
}

interface Terminator {
  readonly server: Server;
  /** Who waits for the end of the handshake, by the address of the client. */
  readonly awaited: Map<string, (outcome: TLSSocket | string) => void>;
}

/** Ends TLS for the listeners of a port. A change of the configuration makes another one; connections that stand are not touched. */
const terminator = perObject((bind: BindView): Terminator => {
  const { tls: policy = {} } = bind.frontend;
  const validations = bind.listeners.map(({ tls }) => tls?.clients);
  const asks = validations.some((clients) => clients !== undefined);
  const context = contexts(handshakeOptions(policy), asks);
  const awaited: Terminator['awaited'] = new Map();
  const server = createServer({
    ...handshakeOptions(policy),
    ...resumption(asks),
    // TLSF-003
    ALPNProtocols: [...(policy.alpnProtocols ?? USUAL_ALPN)],
    requestCert: asks,
    rejectUnauthorized: validations.every((clients) => clients?.optional === false),
    SNICallback: (name, done) => {
      done(null, context(bind.selectListener(name)?.tls, name));
    },
    ...identityOptions(bind.selectListener('')?.tls, ''),
  });
  server.on('secureConnection', (socket) => {
    const settle = awaited.get(addressOf(socket));
    const clients = bind.selectListener(serverNameOf(socket))?.tls?.clients;
    if (clients?.optional === false && !socket.authorized) {
      settle?.('the client has no certificate that an authority of the listener vouches for');
      socket.destroy();
      return;
    }
    // It ends with its error; whoever uses it hears of that in his own way.
    socket.on('error', ignore);
    settle?.(socket);
  });
  server.on('tlsClientError', (error: Error & { readonly reason?: string }, socket) => {
    // Of OpenSSL its own words, without the place in its source.
    awaited.get(addressOf(socket))?.(error.reason ?? error.message);
  });
  return { server, awaited };
});

const USUAL_ALPN = ['h2', 'http/1.1'];

/**
 * One key for all tickets of this process, so that a change of the configuration costs no client a full handshake. Where clients show
 * certificates there are no tickets: a session that began at one listener proves nothing at another.
 */
function resumption(asksForCertificates: boolean): { ticketKeys: Buffer; secureOptions?: number } {
  return asksForCertificates ? { ticketKeys, secureOptions: constants.SSL_OP_NO_TICKET } : { ticketKeys };
}

const ticketKeys = randomBytes(48);

/** What a listener shows and believes to a client that named it. Nothing without a listener: OpenSSL then refuses the handshake. */
function contexts(
  usual: SecureContextOptions,
  asks: boolean,
): (tls: ListenerTls | undefined, name: string) => SecureContext | undefined {
  const ofIdentities = perObject(({ clients }: ListenerTls) =>
    perList((identities: readonly Identity[]) =>
      attempt(() => createSecureContext({ ...usual, ...resumption(asks), ...pemOptions(identities, clients) })),
    ),
  );
  return (tls, name) => tls && ofIdentities(tls)(chosen(tls.identities, name));
}

function identityOptions(tls: ListenerTls | undefined, name: string): SecureContextOptions {
  if (tls === undefined) return {};
  const options = pemOptions(chosen(tls.identities, name), tls.clients);
  return attempt(() => createSecureContext(options)) === undefined ? {} : options;
}

function pemOptions(identities: readonly Identity[], clients: ClientValidation | undefined): SecureContextOptions {
  return {
    cert: identities.map(({ certificate }) => certificate),
    key: identities.map(({ key }) => key),
    // Without an authority that can be read nobody is believed.
    ...(clients && { ca: clients.authorities === '' ? [] : clients.authorities }),
  };
}

/** The first whose certificate is for the name, or else the first: OpenSSL takes no more than one from here. */
function chosen(identities: readonly Identity[], name: string): readonly Identity[] {
  const fitting = identities.find((identity) => name !== '' && leafOf(identity).checkHost(name) !== undefined);
  return [fitting ?? identities[0]].filter((identity) => identity !== undefined);
}

const leafOf = perObject(({ certificate }: Identity) => new X509Certificate(certificate));

/** A key that does not fit its certificate, or an authority that is none, leaves the listener without both. */
function attempt<Value>(make: () => Value): Value | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

function serverNameOf({ servername }: TLSSocket & { readonly servername?: unknown }): string {
  return typeof servername === 'string' ? servername.toLowerCase() : '';
}

function addressOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function ignore(): void {}
