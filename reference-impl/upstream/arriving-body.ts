import type { Body } from '../base/body.ts';
import { HeaderMap } from '../base/headers.ts';

/** Bytes held for a slow reader before the sender is asked to pause. */
const HIGH_WATER = 64 * 1024;

/** Who sends the bytes, as far as a slow reader is concerned. */
export interface Sender {
  readonly pause: () => void;
  readonly resume: () => void;
  /** The reader wants no more. */
  readonly cancel: () => void;
}

/** A body whose bytes are pushed in as they arrive and pulled out as they are wanted. */
export class ArrivingBody implements Body {
  readonly length: number | undefined;
  readonly #sender: Sender;
  #chunks: Uint8Array[] = [];
  #held = 0;
  #paused = false;
  #ended = false;
  #failure: Error | undefined;
  #trailers = HeaderMap.EMPTY;
  #waiting: { resolve: (chunk: Uint8Array | undefined) => void; reject: (reason: Error) => void } | undefined;

  constructor(length: number | undefined, sender: Sender) {
    this.length = length;
    this.#sender = sender;
  }

  readonly read = (): Promise<Uint8Array | undefined> => {
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) {
      this.#held -= chunk.byteLength;
      if (this.#paused && this.#held < HIGH_WATER / 2) this.#resume();
      return Promise.resolve(chunk);
    }
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#ended) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  };

  readonly takeAll = (): Uint8Array | undefined => {
    // A body with trailers is read to its end piece by piece, so that the trailers find their place.
    if (!this.#ended || this.#failure !== undefined || this.#trailers.size > 0) return undefined;
    const [first, ...others] = this.#chunks;
    this.#chunks = [];
    this.#held = 0;
    return first === undefined || others.length > 0 ? Buffer.concat([first ?? new Uint8Array(0), ...others]) : first;
  };

  readonly cancel = (): void => {
    this.#chunks = [];
    this.#held = 0;
    if (!this.#ended) this.#sender.cancel();
  };

  readonly trailers = (): HeaderMap => this.#trailers;

  push(chunk: Uint8Array): void {
    if (chunk.byteLength === 0) return;
    const waiting = this.#settle();
    if (waiting !== undefined) {
      waiting.resolve(chunk);
      return;
    }
    this.#chunks.push(chunk);
    this.#held += chunk.byteLength;
    if (this.#held > HIGH_WATER && !this.#paused) {
      this.#paused = true;
      this.#sender.pause();
    }
  }

  end(trailers: HeaderMap): void {
    this.#ended = true;
    this.#trailers = trailers;
    this.#settle()?.resolve(undefined);
  }

  /** What had arrived before the failure can still be read. */
  fail(failure: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#failure = failure;
    this.#settle()?.reject(failure);
  }

  #settle(): { resolve: (chunk: Uint8Array | undefined) => void; reject: (reason: Error) => void } | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }

  #resume(): void {
    this.#paused = false;
    this.#sender.resume();
  }
}
