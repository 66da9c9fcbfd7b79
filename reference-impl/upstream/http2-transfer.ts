import type { Buffer } from 'node:buffer';
import { type ClientHttp2Stream, constants } from 'node:http2';
import type { Body } from '../base/body.ts';
import type { Clock } from '../base/clock.ts';
import { withTrueLength } from '../base/framing.ts';
import { HeaderMap } from '../base/headers.ts';
import { ProxyError } from '../base/proxy-error.ts';
import { untilDrained } from '../base/until-drained.ts';
import { ArrivingBody, type Sender } from './arriving-body.ts';
import { callFailure } from './call-failure.ts';
import { type Call, hasBody, passHint, type Response } from './http-call.ts';
import type { Http2Sessions } from './http2-sessions.ts';

/** One request as a stream of an HTTP/2 connection to the endpoint, trailers in both directions (BHTTP-002, BHTTP-004). */
export function sendOverHttp2(call: Call, sessions: Http2Sessions, clock: Clock): Promise<Response> {
  return new Promise((resolve, reject) => {
    void new StreamTransfer(call, resolve, reject).start(sessions, clock);
  });
}

/** Follows one call from the wait for a connection to the last byte of the response. */
class StreamTransfer implements Sender {
  readonly #call: Call;
  readonly #resolve: (response: Response) => void;
  readonly #reject: (reason: Error) => void;
  #stream: ClientHttp2Stream | undefined;
  #body: ArrivingBody | undefined;
  #trailers = HeaderMap.EMPTY;
  #failure: Error | undefined;
  #stopTimer: (() => void) | undefined;
  #stopListening: (() => void) | undefined;

  constructor(call: Call, resolve: (response: Response) => void, reject: (reason: Error) => void) {
    this.#call = call;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  async start(sessions: Http2Sessions, clock: Clock): Promise<void> {
    const { endpoint, dial, request, requestTimeout, cancellation } = this.#call;
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
      const endStream = request.body === undefined || request.body.length === 0;
      const waitForTrailers = request.body?.trailers !== undefined;
      const options = { endStream, waitForTrailers };
      const wanted = { headers: headOf(this.#call), options, over: () => this.#failure };
      const opening = sessions.request(endpoint, dial, wanted);
      const stream = opening instanceof Promise ? await opening : opening;
      this.#follow(stream);
      if (this.#failure !== undefined) stream.close(constants.NGHTTP2_CANCEL);
      else if (!endStream && request.body !== undefined) await sendBody(request.body, stream);
    } catch (error) {
      this.#fail(error);
    }
  }

  pause(): void {
    this.#stream?.pause();
  }

  resume(): void {
    this.#stream?.resume();
  }

  cancel(): void {
    this.#fail(new ProxyError('clientGone'));
  }

  #follow(stream: ClientHttp2Stream): void {
    this.#stream = stream;
    stream.on('response', (fields, flags, raw) => {
      const isAll = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
      this.#takeHead(Number(fields[':status']), regularFields(raw), isAll);
    });
    stream.on('headers', (fields, _flags, raw) => {
      passHint(this.#call, Number(fields[':status']), regularFields(raw));
    });
    stream.on('trailers', (_fields, _flags, raw) => {
      this.#trailers = regularFields(raw);
    });
    stream.on('data', (chunk: Buffer) => this.#body?.push(chunk));
    stream.on('end', () => {
      // A stream that is reset, or loses its connection, comes to an end too; why is told as it closes.
      if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) return;
      this.#stopListening?.();
      this.#body?.end(this.#trailers);
    });
    stream.on('error', (error) => {
      this.#fail(error);
    });
    // A stream that the peer gives up without an error code has neither an answer nor an error.
    stream.on('close', () => {
      this.#fail(new ProxyError('upstreamCallFailed', `the backend closed the stream with code ${stream.rstCode}`));
    });
  }

  /** BHTTP-004: a call of gRPC that fails at once is a head and nothing behind it, and clients know it by that. docs/decisions/http-version.md */
  #takeHead(status: number, headers: HeaderMap, isAll: boolean): void {
    if (this.#failure !== undefined) return;
    this.#stopTimer?.();
    const declared = headers.get('content-length');
    const isFollowed = !isAll && hasBody(this.#call.request.method, status, headers);
    const body = isFollowed ? new ArrivingBody(declared === undefined ? undefined : Number(declared), this) : undefined;
    this.#body = body;
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
    this.#stream?.close(constants.NGHTTP2_CANCEL);
  }
}

/** Pseudo-header fields, then the fields of the request in their order, with the names in lower case (RFC 9113, section 8.2). */
function headOf({ dial, request: { method, target, authority, headers, body } }: Call): readonly string[] {
  const raw = withTrueLength(headers, body).toRaw();
  return [
    ':method',
    method,
    ':scheme',
    dial.tls === undefined ? 'http' : 'https',
    ':authority',
    authority,
    ':path',
    target,
    ...raw.map((item, index) => (index % 2 === 0 ? item.toLowerCase() : item)),
  ];
}

/** Fails when the sender of the body breaks off. What the peer no longer wants is not read. */
async function sendBody(body: Body, stream: ClientHttp2Stream): Promise<void> {
  stream.once('wantTrailers', () => {
    stream.sendTrailers(body.trailers === undefined ? {} : fieldsByName(body.trailers()));
  });
  try {
    const bytes = body.takeAll?.();
    if (bytes !== undefined) {
      stream.end(bytes);
      return;
    }
    for (let chunk = await body.read(); chunk !== undefined; chunk = await body.read()) {
      if (stream.destroyed || stream.writableEnded) return;
      if (!stream.write(chunk)) await untilDrained(stream);
    }
    stream.end();
  } finally {
    body.cancel();
  }
}

function fieldsByName(fields: HeaderMap): Record<string, string[]> {
  return Object.fromEntries([...fields].map(([name]) => [name.toLowerCase(), fields.getAll(name)]));
}

/** Without `:status`. */
function regularFields(raw: readonly string[]): HeaderMap {
  return HeaderMap.fromRaw(raw.filter((_, index) => !(raw[index - (index % 2)] ?? '').startsWith(':')));
}
