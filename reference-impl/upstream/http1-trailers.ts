import { type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http';
import type { Body } from '../base/body.ts';
import { withTrueLength } from '../base/framing.ts';
import { HeaderMap } from '../base/headers.ts';
import { endToEnd } from '../base/hop-by-hop.ts';
import { ProxyError } from '../base/proxy-error.ts';
import { untilDrained } from '../base/until-drained.ts';
import { ArrivingBody, type Sender } from './arriving-body.ts';
import { callFailure } from './call-failure.ts';
import { type Call, hasBody, passHint, type Response } from './http-call.ts';
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
    new TrailersTransfer(call, resolve, reject).start(dialer);
  });
}

/** Follows one call from the connection to the last byte of the response. */
class TrailersTransfer implements Sender {
  readonly #call: Call;
  readonly #resolve: (response: Response) => void;
  readonly #reject: (reason: Error) => void;
  #outgoing: ClientRequest | undefined;
  #answer: IncomingMessage | undefined;
  #body: ArrivingBody | undefined;
  #failure: Error | undefined;
  #stopTimer: (() => void) | undefined;
  #stopListening: (() => void) | undefined;

  constructor(call: Call, resolve: (response: Response) => void, reject: (reason: Error) => void) {
    this.#call = call;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(dialer: Dialer): void {
    const { clock } = dialer;
    const { requestTimeout, cancellation } = this.#call;
    this.#stopListening = cancellation.onCancel((reason) => {
      this.#fail(reason);
    });
    if (this.#failure !== undefined) return;
    if (requestTimeout !== undefined) {
      this.#stopTimer = clock.after(requestTimeout, () => {
        this.#fail(new ProxyError('upstreamCallTimeout', `no response within ${requestTimeout} ms`));
      });
    }
    try {
      const outgoing = this.#open(dialer);
      this.#outgoing = outgoing;
      this.#follow(outgoing);
      const { body } = this.#call.request;
      if (body !== undefined)
        void sendBody(body, outgoing).catch((error: unknown) => {
          this.#fail(error);
        });
    } catch (error) {
      this.#fail(error);
    }
  }

  pause(): void {
    this.#answer?.pause();
  }

  resume(): void {
    this.#answer?.resume();
  }

  cancel(): void {
    this.#fail(new ProxyError('clientGone'));
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
          if (socket === null) this.#fail(error ?? new Error('no connection'));
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
      this.#fail(error);
    });
  }

  #takeHead(answer: IncomingMessage): void {
    if (this.#failure !== undefined) return;
    this.#stopTimer?.();
    this.#answer = answer;
    const { statusCode: status = 0, rawHeaders } = answer;
    const headers = HeaderMap.fromRaw(rawHeaders);
    const declared = headers.get('content-length');
    const body = hasBody(this.#call.request.method, status, headers)
      ? new ArrivingBody(declared === undefined ? undefined : Number(declared), this)
      : undefined;
    this.#body = body;
    answer.on('data', (chunk: Buffer) => body?.push(chunk));
    answer.on('end', () => {
      this.#stopListening?.();
      body?.end(HeaderMap.fromRaw(answer.rawTrailers));
    });
    answer.on('error', (error) => {
      this.#fail(error);
    });
    this.#resolve({ status, headers, body });
  }

  /** After a complete answer this changes nothing. */
  #fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    const failure = callFailure(error);
    this.#failure = failure;
    this.#stopTimer?.();
    this.#stopListening?.();
    this.#reject(failure);
    this.#body?.fail(failure);
    this.#outgoing?.destroy();
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
