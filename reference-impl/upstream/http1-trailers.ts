import { type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http';
import type { Body } from '../base/body.ts';
import { withTrueLength } from '../base/framing.ts';
import { HeaderMap } from '../base/headers.ts';
import { endToEnd } from '../base/hop-by-hop.ts';
import { untilDrained } from '../base/until-drained.ts';
import { AwaitedAnswer, type Carrier, type Promised } from './awaited-answer.ts';
import { type Call, passHint, type Response } from './http-call.ts';
import { type Dialer, openConnection } from './open-connection.ts';

/**
 * Whether fields will follow behind the body that only HTTP/1.1 of this file can carry: the pooled client sends none. A backend that may choose
 * HTTP/2 in its handshake is left to that client. docs/decisions/trailers-and-interim-answers.md
 */
export function announcesTrailers({ request, dial, upgrade }: Call): boolean {
  const { announced, body } = request;
  if (announced === undefined || body?.trailers === undefined || body.length !== undefined) return false;
  const offered = dial.tls === undefined ? [HTTP1] : (dial.tls.policy.alpnProtocols ?? []);
  return upgrade === undefined && offered.every((protocol) => protocol === HTTP1) && offered.length > 0;
}

const HTTP1 = 'http/1.1';

/** HTTP/1.1 over a connection of its own, with the trailers of the request behind its body. */
export function sendWithTrailers(call: Call, dialer: Dialer): Promise<Response> {
  return new Promise((resolve, reject) => {
    new TrailersTransfer(call, { resolve, reject }).start(dialer);
  });
}

/** Follows one call from the connection to the last byte of the response. */
class TrailersTransfer implements Carrier {
  readonly #call: Call;
  readonly #answer: AwaitedAnswer;
  #outgoing: ClientRequest | undefined;
  #incoming: IncomingMessage | undefined;

  constructor(call: Call, promised: Promised) {
    this.#call = call;
    this.#answer = new AwaitedAnswer(call, this, promised);
  }

  start(dialer: Dialer): void {
    if (!this.#answer.begin(dialer.clock)) return;
    try {
      const outgoing = this.#open(dialer);
      this.#outgoing = outgoing;
      this.#follow(outgoing);
      const { body } = this.#call.request;
      if (body !== undefined)
        void sendBody(body, outgoing).catch((error: unknown) => {
          this.#answer.fail(error);
        });
    } catch (error) {
      this.#answer.fail(error);
    }
  }

  pause(): void {
    this.#incoming?.pause();
  }

  resume(): void {
    this.#incoming?.resume();
  }

  giveUp(): void {
    this.#outgoing?.destroy();
  }

  #open(dialer: Dialer): ClientRequest {
    const { endpoint, dial, request } = this.#call;
    const { method, target, authority, headers, body, announced = '' } = request;
    const fields = ['host', authority, ...withTrueLength(headers, body).toRaw()];
    return openRequest({
      method,
      path: target,
      headers: [...fields, 'trailer', announced, 'transfer-encoding', 'chunked', 'connection', 'close'],
      maxHeaderSize: 64 * 1024,
      createConnection: (_, done) => {
        openConnection(endpoint, dial, dialer, (error, socket) => {
          // The types of Node want a socket beside an error; nobody looks at it.
          if (socket === null) this.#answer.fail(error ?? new Error('no connection'));
          else done(null, socket);
        });
        return undefined;
      },
    });
  }

  #follow(outgoing: ClientRequest): void {
    outgoing.on('response', (answer) => {
      this.#takeHead(answer);
    });
    // A connection through a proxy server comes paused, so that nothing of it is lost before somebody listens.
    outgoing.on('socket', (socket) => socket.resume());
    outgoing.on('information', ({ statusCode, rawHeaders }) => {
      passHint(this.#call, statusCode, HeaderMap.fromRaw(rawHeaders));
    });
    outgoing.on('error', (error) => {
      this.#answer.fail(error);
    });
  }

  #takeHead(answer: IncomingMessage): void {
    const { statusCode: status = 0, rawHeaders } = answer;
    this.#incoming = answer;
    this.#answer.takeHead(status, HeaderMap.fromRaw(rawHeaders));
    answer.on('data', (chunk: Buffer) => {
      this.#answer.push(chunk);
    });
    answer.on('end', () => {
      this.#answer.end(HeaderMap.fromRaw(answer.rawTrailers));
    });
    answer.on('error', (error) => {
      this.#answer.fail(error);
    });
  }
}

/** Fails when the sender of the body breaks off. What the backend no longer wants is not read. */
async function sendBody(body: Body, outgoing: ClientRequest): Promise<void> {
  try {
    for (let chunk = await body.read(); chunk !== undefined; chunk = await body.read()) {
      if (outgoing.destroyed) return;
      if (!outgoing.write(chunk)) await untilDrained(outgoing);
    }
    // RFC 9110, section 6.5.1: what frames, routes or proves something has to stand before the body.
    const trailers = endToEnd(body.trailers?.() ?? HeaderMap.EMPTY, NEVER_BEHIND);
    outgoing.addTrailers([...trailers]);
    outgoing.end();
  } finally {
    body.cancel();
  }
}

const NEVER_BEHIND: ReadonlySet<string> = new Set(['host', 'content-length', 'authorization', 'cookie', 'expect']);
