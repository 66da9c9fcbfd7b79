import type { Buffer } from 'node:buffer';
import { type ClientHttp2Stream, constants } from 'node:http2';
import type { Body } from '../base/body.ts';
import type { Clock } from '../base/clock.ts';
import { withTrueLength } from '../base/framing.ts';
import { HeaderMap } from '../base/headers.ts';
import { ProxyError } from '../base/proxy-error.ts';
import { untilDrained } from '../base/until-drained.ts';
import { AwaitedAnswer, type Carrier, type Promised } from './awaited-answer.ts';
import { type Call, passHint, type Response } from './http-call.ts';
import type { Http2Sessions } from './http2-sessions.ts';

/** One request as a stream of an HTTP/2 connection to the endpoint, trailers in both directions (BHTTP-002, BHTTP-004). */
export function sendOverHttp2(call: Call, sessions: Http2Sessions, clock: Clock): Promise<Response> {
  return new Promise((resolve, reject) => {
    void new StreamTransfer(call, { resolve, reject }).start(sessions, clock);
  });
}

/** Follows one call from the wait for a connection to the last byte of the response. */
class StreamTransfer implements Carrier {
  readonly #call: Call;
  readonly #answer: AwaitedAnswer;
  #stream: ClientHttp2Stream | undefined;
  #trailers = HeaderMap.EMPTY;

  constructor(call: Call, promised: Promised) {
    this.#call = call;
    this.#answer = new AwaitedAnswer(call, this, promised);
  }

  async start(sessions: Http2Sessions, clock: Clock): Promise<void> {
    const { endpoint, dial, request } = this.#call;
    if (!this.#answer.begin(clock)) return;
    try {
      const endStream = request.body === undefined || request.body.length === 0;
      const waitForTrailers = request.body?.trailers !== undefined;
      const options = { endStream, waitForTrailers };
      const wanted = { headers: headOf(this.#call), options, over: () => this.#answer.failure };
      const opening = sessions.request(endpoint, dial, wanted);
      const stream = opening instanceof Promise ? await opening : opening;
      this.#follow(stream);
      if (this.#answer.failure !== undefined) this.giveUp();
      else if (!endStream && request.body !== undefined) await sendBody(request.body, stream);
    } catch (error) {
      this.#answer.fail(error);
    }
  }

  pause(): void {
    this.#stream?.pause();
  }

  resume(): void {
    this.#stream?.resume();
  }

  giveUp(): void {
    this.#stream?.close(constants.NGHTTP2_CANCEL);
  }

  #follow(stream: ClientHttp2Stream): void {
    this.#stream = stream;
    stream.on('response', (fields, flags, raw) => {
      const status = Number(fields[':status']);
      // BHTTP-004: a call of gRPC that fails at once is a head and nothing behind it, and clients know it by that. docs/decisions/http-version.md
      if ((flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0) this.#answer.takeWhole(status, regularFields(raw));
      else this.#answer.takeHead(status, regularFields(raw));
    });
    stream.on('headers', (fields, _flags, raw) => {
      passHint(this.#call, Number(fields[':status']), regularFields(raw));
    });
    stream.on('trailers', (_fields, _flags, raw) => {
      this.#trailers = regularFields(raw);
    });
    stream.on('data', (chunk: Buffer) => {
      this.#answer.push(chunk);
    });
    stream.on('end', () => {
      // A stream that is reset, or loses its connection, comes to an end too; why is told as it closes.
      if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) return;
      this.#answer.end(this.#trailers);
    });
    stream.on('error', (error) => {
      this.#answer.fail(error);
    });
    // A stream that the peer gives up without an error code has neither an answer nor an error.
    stream.on('close', () => {
      this.#answer.fail(
        new ProxyError('upstreamCallFailed', `the backend closed the stream with code ${stream.rstCode}`),
      );
    });
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
