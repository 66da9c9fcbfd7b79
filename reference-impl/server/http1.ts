import { Buffer } from 'node:buffer';
import { createServer, ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Cancellation } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import { errorFields } from '../base/log.ts';
import { ProxyError } from '../base/proxy-error.ts';
import type { Answer, Received, Request } from '../exchange/exchange.ts';
import { refusalFor } from '../exchange/refusal.ts';
import { handleRequest } from '../pipeline/handle-request.ts';
import type { FrontendHTTP } from '../resources/proxy-policy/fields/frontend-http.ts';
import { type BadBytes, reasonOf, refuseBytes, refuseWith, TOO_SLOW } from './bad-bytes.ts';
import { type DoorPlane, LIMITS } from './data-plane.ts';
import { type Connection, connectionOf } from './http1-connection.ts';
import { endInTime, type Lifetime, lifetimeLimits } from './http1-lifetime.ts';
import { innerConnection } from './inner-connection.ts';
import { lingerAtClose, throwRestAway } from './linger.ts';
import { parseOneByOne } from './pipelining.ts';
import { MOST_FIELDS, receive } from './receive.ts';
import { receivedBy } from './received.ts';
import { reply } from './reply.ts';
import { sourceOf } from './source.ts';
import { type Refused, tellRefusals } from './tell-refusals.ts';
import {
  endOnError,
  protocolAskedFor,
  switches,
  switchProtocol,
  TUNNEL,
  type Upgrade,
  withoutTakeOver,
} from './upgrade.ts';

/** HTTP/1.1 on the connections of one data port. */
export interface Http1 {
  /** Speaks it on a connection that stands paused before its first byte, under the limits of its port. */
  readonly accept: (socket: Socket, limits: FrontendHTTP) => void;
  /** A client that did not say a word in time. */
  readonly refuseSlow: (socket: Socket) => void;
  /** Ends the connections that wait for their next request, and every other one with its answer. */
  readonly drain: () => void;
}

/** What requests of one data port are served with. */
interface Port extends DoorPlane {
  readonly port: number;
  readonly refused: Refused;
}

/** HTTP/1.1 of one data port, by the server of Node, which listens nowhere itself. */
export function createHttp1(port: number, plane: DoorPlane): Http1 {
  const limits = { ...LIMITS, ...plane.limits };
  const { clock, services } = plane;
  const refused = tellRefusals('requests refused', port, { clock, log: services.log });
  const here: Port = { ...plane, port, refused };
  const lifetimes = new Set<Lifetime>();
  const server = createServer({
    maxHeaderSize: limits.headSize,
    headersTimeout: limits.headTimeout,
    connectionsCheckingInterval: limits.checkInterval,
    // How long connections idle is a matter of their policy: http1-lifetime.ts.
    keepAliveTimeout: 0,
    // A body may flow for as long as its client lives; timeouts for whole requests are a policy.
    requestTimeout: 0,
    shouldUpgradeCallback: (message) => protocolAskedFor(message) !== undefined,
    insecureHTTPParser: false,
    // receive.ts says so itself, and the log hears of it.
    requireHostHeader: false,
  });
  // Header fields are counted against http1MaxHeaders, where the listener is known. Of those beyond the largest value the parser throws away all
  // but the one that tells of them.
  server.maxHeadersCount = MOST_FIELDS + 1;
  server.on('connection', (socket) => {
    const inlet = parseOneByOne(socket, plane.backlog);
    connectionOf(socket).inlet = inlet;
    lingerAtClose(socket, inlet, () => connectionOf(socket).latest?.req, plane.clock);
  });
  server.on('request', (message, response) => {
    serve({ message, response }, here);
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
    serve({ message, response, beforeBody }, here);
  });
  const switchOver = (message: IncomingMessage, socket: Duplex, first: Buffer): void => {
    endOnError(socket);
    const held = connectionOf(socket).inlet?.release() ?? first;
    const upgrade = { socket, first: Buffer.concat([first, held]) };
    serve({ message, response: responseOn(socket, message), upgrade }, here);
  };
  server.on('connect', switchOver);
  server.on('upgrade', switchOver);
  server.on('clientError', (error: BadBytes, socket) => {
    if (refuseBytes(error, socket)) refused(reasonOf(error));
  });
  // It listens nowhere itself. This is what begins its looks for connections whose time is over.
  server.emit('listening');
  return {
    accept: (socket, policy) => {
      const connection = connectionOf(socket);
      connection.lifetime?.stop();
      server.emit('connection', socket);
      const lifetime = endInTime(socket, lifetimeLimits(policy, limits.idleTimeout), plane.clock);
      connection.lifetime = lifetime;
      lifetimes.add(lifetime);
      socket.once('close', () => lifetimes.delete(lifetime));
      socket.resume();
    },
    refuseSlow: (socket) => {
      refuseWith('ERR_HTTP_REQUEST_TIMEOUT', socket);
      refused(TOO_SLOW);
    },
    drain: () => {
      server.close();
      for (const lifetime of lifetimes) lifetime.end();
    },
  };
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

/** One that was taken up. */
interface Begun extends Arrival {
  /** Cancelled when the client goes away before it has its answer. */
  readonly cancellation: Cancellation;
  /** Resolves when the client has its answer, or is gone. */
  readonly closed: Promise<void>;
}

function serve(arrival: Arrival, plane: Port): void {
  const { message, response, beforeBody } = arrival;
  const { log } = plane.services;
  // The last answer of this connection is written: what a client sends behind it is no request.
  if (message.socket.writableEnded) return;
  const connection = connectionOf(message.socket);
  connection.latest = response;
  const begun = begin(arrival, connection);
  connection.lifetime?.begin();
  const protocol = connection.inlet?.begin(message) ?? '';
  if (asksForUpgrade(message.rawHeaders)) response.shouldKeepAlive = false;
  const patience = plane.limits?.bodyIdleTimeout ?? LIMITS.bodyIdleTimeout;
  const reading = { clock: plane.clock, patience, beforeFirst: beforeBody };
  const request = receive(message, { protocol, scheme: 'encrypted' in message.socket ? 'https' : 'http', reading });
  answerTo(request, begun, plane).catch((error: unknown) => {
    log.error('request handling failed', errorFields(error));
    response.destroy();
  });
}

/** One listener for all who wait for the end of the answer: each costs every request something. */
function begin(arrival: Arrival, { lifetime, inlet }: Connection): Begun {
  const { response } = arrival;
  const cancellation = new Cancellation();
  const closed = new Promise<void>((resolve) => {
    response.on('close', () => {
      lifetime?.answered(response);
      inlet?.answered();
      if (!response.writableFinished) cancellation.cancel(new ProxyError('clientGone'));
      resolve();
    });
  });
  return { ...arrival, cancellation, closed };
}

function answerTo(request: Request | ProxyError, arrival: Begun, plane: Port): Promise<void> {
  if (request instanceof ProxyError) return refuse(arrival.response, request, plane);
  const { port, view } = plane;
  // CONNECT-004
  const entersTunnel = request.method === 'CONNECT' && view().binds.get(port)?.frontend.connect?.mode === 'Tunnel';
  return entersTunnel ? enterTunnel(request, arrival, plane) : handle(request, arrival, plane);
}

async function enterTunnel(request: Request, { message, response, upgrade }: Arrival, plane: Port): Promise<void> {
  const { socket } = message;
  const answer = innerConnection(request, { socket, source: sourceOf(socket) }, plane.enterAt);
  if (answer instanceof ProxyError || upgrade === undefined) {
    await refuse(response, answer instanceof ProxyError ? answer : new ProxyError('methodNotAllowed'), plane);
  } else {
    connectionOf(socket).latest = undefined;
    await switchProtocol(response, answer, upgrade, plane.services.log);
  }
}

/** What follows a message that was not understood cannot be trusted to be the next one. */
async function refuse(response: ServerResponse, why: ProxyError, plane: Port): Promise<void> {
  plane.refused(why.message);
  response.shouldKeepAlive = false;
  await writeAnswer(response, refusalFor(why), plane);
}

/**
 * Node's parser stops behind a request that asks for another protocol, although nobody grants it: what the client sent
 * after it is lost, so the connection ends with the answer.
 */
function asksForUpgrade(rawHeaders: readonly string[]): boolean {
  return rawHeaders.some((name, index) => index % 2 === 0 && name.length === 7 && name.toLowerCase() === 'upgrade');
}

function handle(request: Request, arrival: Begun, plane: Port): Promise<void> {
  const { services } = plane;
  const { message, response, cancellation, closed, upgrade } = arrival;
  const source = sourceOf(message.socket);
  const protocol = request.method === 'CONNECT' ? TUNNEL : protocolAskedFor(response.req);
  const asked = upgrade === undefined || protocol === undefined ? request : { ...request, upgrade: protocol };
  const received = receivedBy(plane, { request: asked, source, cancellation, hint: hintTo(response) });
  return handleRequest(received, services, (answer) => {
    if (upgrade !== undefined && switches(answer)) return switchProtocol(response, answer, upgrade, services.log);
    const writing = writeAnswer(response, withoutTakeOver(answer), plane);
    return writing === undefined ? closed : writing.then(() => closed);
  });
}

/** A client of HTTP/1.0 knows no interim answers. docs/decisions/trailers-and-interim-answers.md */
function hintTo(response: ServerResponse): Received['hint'] {
  if (response.req.httpVersion === '1.0') return undefined;
  return (links) => {
    // Node's own way takes only links of a simple form. Nothing of the answer is written yet, and one answer at a time is.
    if (response.headersSent || response.destroyed) return;
    const fields = links.map((link) => `link: ${link}\r\n`).join('');
    response.socket?.write(`HTTP/1.1 103 Early Hints\r\n${fields}\r\n`, 'latin1');
  };
}

/** Resolves when all of the answer was handed to the connection; undefined when it was at once. */
function writeAnswer(response: ServerResponse, answer: Answer, { services, clock }: Port): Promise<void> | undefined {
  if (connectionOf(response.req.socket).lifetime?.isOver() === true) response.shouldKeepAlive = false;
  const writing = reply(response, answer, services.log);
  if (writing !== undefined) return leaveRestBehind(writing, response, clock);
  leaveRest(response, clock);
  return undefined;
}

async function leaveRestBehind(writing: Promise<void>, response: ServerResponse, clock: Clock): Promise<void> {
  await writing;
  leaveRest(response, clock);
}

/** Whoever is done with a request may have left some of its body: the next request of the connection stands behind that. */
function leaveRest({ req: message, shouldKeepAlive }: ServerResponse, clock: Clock): void {
  if (shouldKeepAlive && !message.complete && !message.destroyed) throwRestAway(message, clock);
}

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
