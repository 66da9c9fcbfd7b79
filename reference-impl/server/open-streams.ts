import { constants, type ServerHttp2Stream } from 'node:http2';
import { bytesGiven } from './reply-http2.ts';

/** The streams of a connection that are open, by their numbers. */
export class OpenStreams {
  readonly #open = new Map<number, ServerHttp2Stream>();
  /** Those that are to be reset when the session has come to them. */
  readonly #doomed = new Set<number>();
  #latest = 0;

  /** Bytes of its body that the stream was given. */
  readonly handed = (stream: number): number => {
    const open = this.#open.get(stream);
    return open === undefined ? 0 : bytesGiven(open);
  };

  /** Whether the stream may be served; false where it was reset. */
  open(stream: ServerHttp2Stream): boolean {
    const { id = 0 } = stream;
    // What a stream ends with is seen by whoever reads or writes it.
    stream.on('error', () => {});
    this.#latest = id;
    this.#open.set(id, stream);
    const isDoomed = this.#doomed.has(id);
    // The session comes to its streams in their order; of some it tells nobody.
    for (const doomed of this.#doomed) if (doomed <= id) this.#doomed.delete(doomed);
    if (isDoomed) reset(stream);
    return !isDoomed;
  }

  /** Resets it for what its client did to its window (RFC 9113, section 6.9.1), also where it was not opened yet. */
  reset(id: number): void {
    const stream = this.#open.get(id);
    if (stream !== undefined) reset(stream);
    else if (id > this.#latest) this.#doomed.add(id);
  }

  /** It is over; gives its number. */
  forget(stream: ServerHttp2Stream): number {
    const { id = 0 } = stream;
    this.#open.delete(id);
    return id;
  }
}

function reset(stream: ServerHttp2Stream): void {
  // A client may widen it many times before the reset is out.
  if (stream.closed) return;
  stream.close(constants.NGHTTP2_FLOW_CONTROL_ERROR);
}
