import type { Buffer } from 'node:buffer';
import { type ClientHttp2Stream, constants, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2';
import { Code, ConnectError } from '@connectrpc/connect';
import type { Clock } from '../base/clock.ts';
import { Frames } from './grpc-frames.ts';
import { failureOfEnd, failureOfHead } from './grpc-status.ts';

/** Opens a stream to the server, with these fields, unless the call is over before there is a connection. */
export type OpenStream = (
  fields: OutgoingHttpHeaders,
  over: () => Error | undefined,
) => ClientHttp2Stream | Promise<ClientHttp2Stream>;

export interface CallLimits {
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal | undefined;
  /** Milliseconds to the end of the call; undefined sets none. */
  readonly timeoutMs: number | undefined;
}

/** One call of gRPC, from the wait for a connection to its status. What goes wrong is a ConnectError. */
export class GrpcCall {
  readonly #limits: CallLimits;
  readonly #stopTimer: (() => void) | undefined;
  #stream: ClientHttp2Stream | undefined;
  #failure: ConnectError | undefined;
  #onFailure: ((failure: ConnectError) => void) | undefined;
  #head: IncomingHttpHeaders | undefined;
  #trailers: IncomingHttpHeaders = {};

  constructor(clock: Clock, limits: CallLimits) {
    const { signal, timeoutMs } = limits;
    this.#limits = limits;
    signal?.addEventListener('abort', this.#abort);
    if (timeoutMs !== undefined) {
      this.#stopTimer = clock.after(timeoutMs, () => {
        this.fail(new ConnectError(`no answer within ${timeoutMs} ms`, Code.DeadlineExceeded));
      });
    }
  }

  /** The stream, its head sent. Rejects when there is no connection, or when the call is over before there is one. */
  async open(open: OpenStream, path: string): Promise<ClientHttp2Stream> {
    const { signal, timeoutMs } = this.#limits;
    if (signal?.aborted === true) this.#abort();
    if (this.#failure !== undefined) throw this.#failure;
    const timeout =
      timeoutMs === undefined ? {} : { 'grpc-timeout': `${Math.min(Math.ceil(timeoutMs), LONGEST_TIMEOUT)}m` };
    try {
      const opening = open({ ':path': path, ...FIELDS, ...timeout }, () => this.#failure);
      return this.#follow(opening instanceof Promise ? await this.#unlessOver(opening) : opening);
    } catch (error) {
      this.release();
      throw this.#failure ?? ConnectError.from(error, Code.Unavailable);
    }
  }

  /** Resolves when the head of the answer is there; rejects when there will be none, or when it says that the call failed. */
  async answered(stream: ClientHttp2Stream): Promise<void> {
    await new Promise<void>((resolve) => {
      const settle = (): void => resolve();
      stream.once('response', settle).once('close', settle);
    });
    const failure = this.#failure ?? this.#failureOfHead(stream);
    if (failure === undefined) return;
    this.fail(failure);
    throw failure;
  }

  /** The messages of the answer as they come; the call is over when they end. */
  async *messages(stream: ClientHttp2Stream): AsyncGenerator<Uint8Array> {
    const frames = new Frames();
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) yield* frames.take(chunk);
      const failure = this.#failureOfHead(stream) ?? failureOfEnd(this.#head, this.#trailers);
      if (failure !== undefined) throw failure;
      frames.end();
    } catch (error) {
      throw this.#failure ?? ConnectError.from(error, Code.Unavailable);
    } finally {
      this.release();
      // A server that has said all does not listen any more.
      if (!stream.writableEnded) stream.close(constants.NGHTTP2_CANCEL);
    }
  }

  /** Ends the call, wherever it is. */
  fail(failure: ConnectError): void {
    if (this.#failure !== undefined) return;
    this.#failure = failure;
    this.release();
    this.#stream?.close(constants.NGHTTP2_CANCEL);
    this.#onFailure?.(failure);
  }

  /** Time and the client do not matter any more. */
  release(): void {
    this.#stopTimer?.();
    this.#limits.signal?.removeEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => {
    this.fail(ConnectError.from(this.#limits.signal?.reason, Code.Canceled));
  };

  async #unlessOver(opening: Promise<ClientHttp2Stream>): Promise<ClientHttp2Stream> {
    const over = new Promise<never>((_, reject) => {
      this.#onFailure = reject;
    });
    try {
      return await Promise.race([opening, over]);
    } catch (error) {
      void abandon(opening);
      throw error;
    }
  }

  #follow(stream: ClientHttp2Stream): ClientHttp2Stream {
    this.#stream = stream;
    // Whoever reads learns of it.
    stream.on('error', () => {});
    stream.on('response', (fields) => {
      this.#head = fields;
    });
    stream.on('trailers', (fields: IncomingHttpHeaders) => {
      this.#trailers = fields;
    });
    return stream;
  }

  #failureOfHead({ errored }: ClientHttp2Stream): ConnectError | undefined {
    if (this.#head !== undefined) return failureOfHead(this.#head);
    return ConnectError.from(errored ?? 'the server closed the stream', Code.Unavailable);
  }
}

/** The connection is of use to others, the stream to nobody. */
async function abandon(opening: Promise<ClientHttp2Stream>): Promise<void> {
  const stream = await opening.catch(() => undefined);
  stream?.on('error', () => {}).close(constants.NGHTTP2_CANCEL);
}

/** Milliseconds that gRPC has digits for. */
const LONGEST_TIMEOUT = 99_999_999;

const FIELDS = {
  ':method': 'POST',
  te: 'trailers',
  'content-type': 'application/grpc+proto',
  'user-agent': 'refproxy',
};
