import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { invariant } from '../base/invariant.ts';
import type { Backlog } from './backlog.ts';
import { MessageEnds } from './message-ends.ts';

/** What a connection of a client has sent and nobody has parsed yet. */
export interface Inlet {
  /** A request has begun: nothing behind it is parsed before the answer to it is out. Gives the last word of its request line. */
  readonly begin: (message: IncomingMessage) => string;
  /** The answer to it is out. */
  readonly answered: () => void;
  /** Whether the client has sent something behind the request that is being answered. */
  readonly holds: () => boolean;
  /** Throws away what is held, and all that still comes. */
  readonly discard: () => void;
  /** Stops parsing, because the connection goes on with another protocol; gives what is held. */
  readonly release: () => Uint8Array;
}

/**
 * One connection, one request at a time (RFC 9112, section 9.3.2). A client may send requests without waiting for answers, and the
 * parser of Node would report all that arrived with one read: thousands would be under way at once, those with effects would
 * overtake each other, and bytes that are no request would put an end to the answers before them. So the parser gets no more
 * than one message at a time, and the connection is not read while the rest waits; what waits is taken up from the backlog, as is the rest of
 * a body of many small chunks. docs/security/connections.md
 */
export function parseOneByOne(socket: Duplex, backlog: Backlog): Inlet {
  // The one listener of a connection that was just accepted is the parser's.
  const [parse] = socket.listeners('data');
  invariant(parse !== undefined, 'the HTTP server reads the connection');
  socket.removeAllListeners('data');
  return new OneByOne(socket, backlog, (bytes) => {
    parse.call(socket, bytes);
  });
}

class OneByOne implements Inlet {
  readonly #socket: Duplex;
  readonly #backlog: Backlog;
  readonly #parse: (bytes: Buffer) => void;
  readonly #flow: Flow;
  readonly #ends = new MessageEnds();
  readonly #portion = portionOfChunks();
  #held: Buffer = NOTHING;
  #isParsing = true;
  /** Whoever reads the message under way takes more of it. */
  #isRead = true;

  constructor(socket: Duplex, backlog: Backlog, parse: (bytes: Buffer) => void) {
    this.#socket = socket;
    this.#backlog = backlog;
    this.#parse = parse;
    this.#flow = onlyWhenEmpty(socket, {
      holds: () => this.holds(),
      wants: (more) => {
        this.#isRead = more;
        if (more) this.#goOnLater();
      },
    });
    socket.on('data', this.#arrived);
  }

  readonly begin = (message: IncomingMessage): string => {
    return this.#ends.begin(message);
  };

  readonly answered = (): void => {
    this.#ends.answered();
    if (this.holds() && this.#backlog.mayGoOn(this.#goOn)) this.#goOn();
  };

  readonly holds = (): boolean => {
    return this.#held.length > 0;
  };

  readonly discard = (): void => {
    this.#isParsing = false;
    this.#held = NOTHING;
    this.#socket.resume();
  };

  readonly release = (): Uint8Array => {
    this.#isParsing = false;
    this.#socket.off('data', this.#arrived);
    const rest = this.#held;
    this.#held = NOTHING;
    return rest;
  };

  readonly #arrived = (chunk: Buffer): void => {
    if (!this.#isParsing) return;
    const isBetween = !this.#ends.isUnderWay();
    if (isBetween && !this.holds() && this.#ends.isMessageAlone(chunk) && this.#readsAnswers()) {
      this.#ends.passWhole(chunk);
      this.#parse(chunk);
      return;
    }
    this.#held = this.holds() ? Buffer.concat([this.#held, chunk]) : chunk;
    // A client that goes on with its body has been served: it may wait for others.
    if (isBetween || this.#backlog.mayGoOn(this.#goOn)) this.#parseTurns();
    else this.#flow.pause();
  };

  /** One function for all its life: the backlog knows by it whether this connection waits already. */
  readonly #goOn = (): void => {
    if (!this.holds() || !this.#isParsing || this.#socket.destroyed) return;
    this.#parseTurns();
    if (!this.holds() && this.#isRead) this.#flow.resume();
  };

  readonly #goOnLater = (): void => {
    if (this.holds()) this.#backlog.add(this.#goOn);
  };

  #parseTurns(): void {
    this.#portion.begin();
    while (this.#isParsing && this.holds()) {
      const size = this.#ends.next(this.#held, this.#portion.size());
      if (size === 0) return this.#flow.pause();
      if (!this.#ends.isUnderWay() && !this.#readsAnswers()) {
        this.#flow.pause();
        return void this.#socket.once('drain', this.#goOnLater);
      }
      this.#parseNext(size);
      if (this.#isParsing && this.holds() && (!this.#isRead || this.#portion.isDone())) {
        this.#flow.pause();
        return this.#isRead ? this.#goOnLater() : undefined;
      }
    }
  }

  #parseNext(size: number): void {
    const piece = this.#held.subarray(0, size);
    this.#held = this.#held.subarray(size);
    this.#ends.pass(piece);
    this.#parse(piece);
  }

  /** A client that does not read its answers gets no further ones. */
  #readsAnswers(): boolean {
    return !this.#socket.writableNeedDrain;
  }
}

const NOTHING = Buffer.alloc(0);

/** What makes the connection be read, or not, past those who do so by themselves. */
interface Flow {
  readonly pause: () => void;
  readonly resume: () => void;
}

/** Node's parser pauses a connection whose message nobody reads and resumes it when somebody does; nothing more is read before what is held is parsed. */
function onlyWhenEmpty(
  socket: Duplex,
  { holds, wants }: { readonly holds: () => boolean; readonly wants: (more: boolean) => void },
): Flow {
  const pause = socket.pause.bind(socket);
  const resume = socket.resume.bind(socket);
  socket.pause = () => {
    wants(false);
    return pause();
  };
  socket.resume = () => {
    wants(true);
    return holds() ? socket : resume();
  };
  return { pause, resume };
}

/** How much is parsed at a stretch. */
interface Portion {
  /** Bytes of one piece, where nothing else says where it ends. */
  readonly size: () => number;
  readonly begin: () => void;
  /** Whether what has been parsed since then took its time. */
  readonly isDone: () => boolean;
}

/** The work is in the chunks, not in the bytes, and how many there are is known when they are parsed: the pieces become larger while that is quick. */
function portionOfChunks(): Portion {
  let size = LEAST_PORTION;
  let began = 0;
  return {
    size: () => size,
    begin: () => {
      began = performance.now();
    },
    isDone: () => {
      const isDone = performance.now() - began >= STRETCH;
      size = isDone ? LEAST_PORTION : Math.min(size * 2, MOST_PORTION);
      return isDone;
    },
  };
}

/** Milliseconds. */
const STRETCH = 0.5;
/** Of one byte in each chunk these are 170 chunks. */
const LEAST_PORTION = 1024;
/** As much as one read of a connection gives. */
const MOST_PORTION = 64 * 1024;
