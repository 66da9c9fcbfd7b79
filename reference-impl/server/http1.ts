import { Buffer } from 'node:buffer';
import { createServer, ServerResponse, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { View } from '../attachment/view.ts';
import { Cancellation } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import { errorFields } from '../base/log.ts';
import { perObject } from '../base/per-object.ts';
import { ProxyError } from '../base/proxy-error.ts';
import type { Services } from '../credentials/services.ts';
import type { Answer, Received, Request, Source } from '../exchange/exchange.ts';
import { refusalFor } from '../exchange/refusal.ts';
import { requestVariables } from '../exchange/request-state.ts';
import { handleRequest } from '../pipeline/handle-request.ts';
import { DISCARD, type Recorder } from '../trace/recorder.ts';
import type { Watchers } from '../trace/watchers.ts';
import { lingerAtClose, throwRestAway } from './linger.ts';
import { parseOneByOne, type Inlet } from './pipelining.ts';
import { receive } from './receive.ts';
import { reply } from './reply.ts';
import { asksForWebSocket, remember, switches, switchProtocol, WEBSOCKET, type Upgrade } from './upgrade.ts';

/** What a data listener serves with. */
export interface DataPlane {
  /** The configuration of the moment. */
  readonly view: () => View;
  readonly watchers: Watchers;
  readonly services: Services;
  readonly clock: Clock;
  readonly limits?: Partial<ConnectionLimits>;
}

export interface ConnectionLimits {
  /** Milliseconds for a complete request head. */
  readonly headTimeout: number;
  /** FRONT-022: milliseconds an idle connection is kept. */
  readonly idleTimeout: number;
  /** Milliseconds between two looks for connections whose time is over. */
  readonly checkInterval: number;
  /** Bytes of a request head. */
  readonly headSize: number;
  /** Milliseconds a client may be silent in the middle of a body that somebody waits for. docs/decisions/connection-limits.md */
  readonly bodyIdleTimeout: number;
  /** Connections of one data port. docs/decisions/connection-limits.md */
  readonly mostConnections: number;
}

const LIMITS: ConnectionLimits = {
  headTimeout: 15_000,
  idleTimeout: 600_000,
  checkInterval: 5000,
  headSize: 64 * 1024,
  bodyIdleTimeout: 60_000,
  mostConnections: 10_000,
};

/** An HTTP/1.1 server for one data port. The caller makes it listen. */
export function createHttp1Server(port: number, plane: DataPlane): Server {
  const limits = { ...LIMITS, ...plane.limits };
  const server = createServer({
    maxHeaderSize: limits.headSize,
    headersTimeout: limits.headTimeout,
    connectionsCheckingInterval: limits.checkInterval,
    keepAliveTimeout: limits.idleTimeout,
    // A body may flow for as long as its client lives; timeouts for whole requests are a policy.
    requestTimeout: 0,
    noDelay: true,
    shouldUpgradeCallback: asksForWebSocket,
    insecureHTTPParser: false,
  });
  // Header fields are counted against http1MaxHeaders, where the listener is known.
  server.maxHeadersCount = 0;
  server.on('connection', (socket) => {
    const inlet = parseOneByOne(socket);
    connectionOf(socket).inlet = inlet;
    lingerAtClose(socket, inlet, () => connectionOf(socket).latest?.req, plane.clock);
  });
  server.on('request', (message, response) => {
    serve({ message, response }, port, plane);
  });
  // The client waits for a word before it sends its body: it gets it when somebody reads the body. Without that word
  // nobody can know whether the next bytes are the body or a request, so the connection ends with the answer.
  server.on('checkContinue', (message, response) => {
    const { shouldKeepAlive } = response;
    response.shouldKeepAlive = false;
    const beforeBody = (): void => {
      response.shouldKeepAlive = shouldKeepAlive;
      response.writeContinue();
    };
    serve({ message, response, beforeBody }, port, plane);
  });
  server.on('connect', (message, socket) => {
    remember(server, socket);
    connectionOf(socket).inlet?.release();
    serve({ message, response: responseOn(socket, message) }, port, plane);
  });
  server.on('upgrade', (message, socket, first) => {
    remember(server, socket);
    const held = connectionOf(socket).inlet?.release() ?? first;
    const upgrade = { socket, first: Buffer.concat([first, held]) };
    serve({ message, response: responseOn(socket, message), upgrade }, port, plane);
  });
  server.on('clientError', refuseBytes);
  server.maxConnections = limits.mostConnections;
  server.on('drop', logRefusals(port, plane));
  return server;
}

/** One message of a connection, and where its answer goes. */
interface Arrival {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  /** Called when somebody begins to read the body: the client waits to be told to send it. */
  readonly beforeBody?: () => void;
  /** The connection itself, when the client asks to go on with another protocol. */
  readonly upgrade?: Upgrade;
}

function serve(arrival: Arrival, port: number, plane: DataPlane): void {
  const { message, response, beforeBody } = arrival;
  const { log } = plane.services;
  // The last answer of this connection is written: what a client sends behind it is no request.
  if (message.socket.writableEnded) return;
  const connection = connectionOf(message.socket);
  connection.latest = response;
  const protocol = connection.inlet?.begin(message, response) ?? '';
  if (asksForUpgrade(message.rawHeaders)) response.shouldKeepAlive = false;
  const patience = plane.limits?.bodyIdleTimeout ?? LIMITS.bodyIdleTimeout;
  const reading = { clock: plane.clock, patience, beforeFirst: beforeBody };
  const request = receive(message, { protocol, reading });
  const handled =
    request instanceof ProxyError ? refuse(response, request, plane) : handle(request, arrival, port, plane);
  handled.catch((error: unknown) => {
    log.error('request handling failed', errorFields(error));
    response.destroy();
  });
}

/** What follows a message that was not understood cannot be trusted to be the next one. */
function refuse(response: ServerResponse, why: ProxyError, plane: DataPlane): Promise<void> {
  response.shouldKeepAlive = false;
  return writeAnswer(response, refusalFor(why), plane);
}

/**
 * Node's parser stops behind a request that asks for another protocol, although nobody grants it: what the client sent
 * after it is lost, so the connection ends with the answer.
 */
function asksForUpgrade(rawHeaders: readonly string[]): boolean {
  return rawHeaders.some((name, index) => index % 2 === 0 && name.length === 7 && name.toLowerCase() === 'upgrade');
}

function handle(
  request: Request,
  { message: { socket }, response, upgrade }: Arrival,
  port: number,
  plane: DataPlane,
): Promise<void> {
  const { services, clock, view } = plane;
  const cancellation = new Cancellation();
  const closed = new Promise<void>((resolve) => {
    response.on('close', () => {
      if (!response.writableFinished) cancellation.cancel(new ProxyError('clientGone'));
      resolve();
    });
  });
  const untraced: Received = {
    request: upgrade === undefined ? request : { ...request, upgrade: WEBSOCKET },
    source: sourceOf(socket),
    port,
    cancellation,
    facts: {},
    handover: {},
    view: view(),
    clock,
    startedAt: clock.monotonic(),
    trace: DISCARD,
  };
  const received = plane.watchers.waiting() ? { ...untraced, trace: recorderFor(untraced, plane) } : untraced;
  return handleRequest(received, services, async (answer) => {
    if (upgrade !== undefined && switches(answer)) {
      await switchProtocol(response, answer, upgrade, services.log);
      return;
    }
    await writeAnswer(response, answer, plane);
    await closed;
  });
}

/** Whoever is done with a request may have left some of its body: the next request of the connection stands behind that. */
async function writeAnswer(response: ServerResponse, answer: Answer, { services, clock }: DataPlane): Promise<void> {
  await reply(response, answer, services.log);
  const { req: message, shouldKeepAlive } = response;
  if (shouldKeepAlive && !message.complete && !message.destroyed) throwRestAway(message, clock);
}

function recorderFor(received: Received, { watchers }: DataPlane): Recorder {
  const { port, request, source } = received;
  return watchers.recorderFor({ port, host: request.authority, source, variables: requestVariables(received) });
}

/** Asked for with the first request: what is closed has no address any more. */
const sourceOf = perObject((socket: Socket): Source => {
  const address = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
  return { address, port: socket.remotePort ?? 0 };
});

/** CONNECT arrives without a response object; it is answered like any other request, on a connection that then ends. */
function responseOn(socket: Duplex, message: IncomingMessage): ServerResponse {
  const response = new ServerResponse(message);
  response.shouldKeepAlive = false;
  response.assignSocket(message.socket);
  response.once('finish', () => {
    response.detachSocket(message.socket);
    socket.end();
  });
  return response;
}

/** A connection beyond the limit is closed at once. A flood of them is one line a second. */
function logRefusals(port: number, { clock, services: { log }, limits }: DataPlane): () => void {
  let refused = 0;
  let quietUntil = -Infinity;
  return () => {
    refused += 1;
    if (clock.monotonic() < quietUntil) return;
    quietUntil = clock.monotonic() + 1000;
    const most = limits?.mostConnections ?? LIMITS.mostConnections;
    log.warn('connections refused', { port, refused, most });
    refused = 0;
  };
}

/** What is known of a connection of a client. */
const connectionOf = perObject<Duplex, { inlet?: Inlet; latest?: ServerResponse }>(() => ({}));

/** Bytes that are no request, or one that is too large or too slow: a plain refusal, and the connection ends. */
function refuseBytes(error: NodeJS.ErrnoException, socket: Duplex): void {
  const { inlet, latest: response } = connectionOf(socket);
  inlet?.discard();
  const answering = response !== undefined && response.headersSent && !response.writableFinished;
  if (!socket.writable || answering || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = REFUSED_BYTES[error.code ?? ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => {
    socket.destroy();
  });
}

const REFUSED_BYTES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};
