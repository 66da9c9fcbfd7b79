import type { Body } from './body.ts';

/** A body that can be sent more than once, as long as little enough of it has passed. */
export interface Replay {
  /** The body from its first byte, for the next reader; the reader before it reads no more. */
  readonly again: () => Body;
  /** Whether all of it has been read and is still here. */
  readonly whole: () => boolean;
  /** Whether nothing that was read has been let go. */
  readonly intact: () => boolean;
  /** There will be no further reader: what passes from now on is not kept. */
  readonly letGo: () => void;
}

/** Keeps up to `limit` bytes of `source` as they pass; nothing is delayed, and nothing is read that nobody asks for. */
export function replayable(source: Body, limit: number): Replay {
  const tape = new Tape(source, limit);
  return {
    again: () => tape.reader(),
    whole: () => tape.whole,
    intact: () => tape.intact,
    letGo: () => {
      tape.letGo();
    },
  };
}

/** One reader at a time, and the pieces that reader or one before it has taken from the source. */
class Tape {
  readonly #source: Body;
  readonly #limit: number;
  #pieces: Uint8Array[] = [];
  #size = 0;
  /** Of the reader: how many pieces it has had. Pieces are dropped instead once nothing is kept. */
  #position = 0;
  #reader = 0;
  #cancelled = false;
  #keeping = true;
  #last = false;
  #ended = false;
  #pulling: Promise<void> | undefined;

  constructor(source: Body, limit: number) {
    this.#source = source;
    this.#limit = limit;
  }

  get intact(): boolean {
    return this.#keeping;
  }

  get whole(): boolean {
    return this.#keeping && (this.#ended || this.#size === this.#source.length);
  }

  reader(): Body {
    this.#reader += 1;
    this.#position = 0;
    this.#cancelled = false;
    const mine = this.#reader;
    const { length, trailers } = this.#source;
    return {
      read: () => this.#read(mine),
      cancel: () => {
        this.#cancel(mine);
      },
      length,
      ...(trailers === undefined ? {} : { trailers }),
      takeAll: () => this.#takeAll(mine),
    };
  }

  letGo(): void {
    this.#last = true;
    this.#stopKeeping();
    if (this.#cancelled) this.#source.cancel();
  }

  async #read(reader: number): Promise<Uint8Array | undefined> {
    for (;;) {
      if (reader !== this.#reader || this.#cancelled) return undefined;
      const piece = this.#next();
      if (piece !== undefined || this.#ended) return piece;
      await (this.#pulling ??= this.#pull());
    }
  }

  #next(): Uint8Array | undefined {
    if (!this.#keeping) return this.#pieces.shift();
    const piece = this.#pieces[this.#position];
    if (piece !== undefined) this.#position += 1;
    return piece;
  }

  async #pull(): Promise<void> {
    try {
      const piece = await this.#source.read();
      if (piece === undefined) this.#ended = true;
      else this.#add(piece);
    } finally {
      this.#pulling = undefined;
    }
  }

  #add(piece: Uint8Array): void {
    if (piece.byteLength === 0) return;
    this.#pieces.push(piece);
    this.#size += piece.byteLength;
    if (this.#size > this.#limit) this.#stopKeeping();
  }

  #takeAll(reader: number): Uint8Array | undefined {
    if (reader !== this.#reader || this.#pulling !== undefined) return undefined;
    if (!this.#ended) {
      const rest = this.#source.takeAll?.();
      if (rest === undefined) return undefined;
      this.#ended = true;
      this.#add(rest);
    }
    const pieces: Uint8Array[] = [];
    for (let piece = this.#next(); piece !== undefined; piece = this.#next()) pieces.push(piece);
    return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
  }

  #cancel(reader: number): void {
    if (reader !== this.#reader) return;
    this.#cancelled = true;
    if (this.#last) this.#source.cancel();
  }

  /** What the reader has had is dropped now, what it has not had when it takes it. */
  #stopKeeping(): void {
    if (!this.#keeping) return;
    this.#keeping = false;
    this.#pieces = this.#pieces.slice(this.#position);
    this.#position = 0;
  }
}
