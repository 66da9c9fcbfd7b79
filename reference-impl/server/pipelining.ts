import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { invariant } from '../base/invariant.ts';
import type { Backlog } from './backlog.ts';

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
  let held: Buffer = NOTHING;
  let current: Current | undefined;
  let seam = '';
  /** The end of the request line, as far as it has come. */
  let line = '';
  /** `reading`: whoever reads the message under way takes more of it. */
  const state = { parsing: true, reading: true };
  const portion = portionOfChunks();

  const underWay = (): Current | undefined => {
    if (current?.answered && current.message.complete) {
      current = undefined;
      seam = '';
    }
    return current;
  };

  /** Bytes of what is held that belong to the message under way, or to the next one when it is its turn. */
  const turn = (): number => {
    if (underWay()?.message.complete) return 0;
    if (current?.bodyLeft) return Math.min(current.bodyLeft, held.length);
    return endOfLines(seam, held.length > portion.size() ? held.subarray(0, portion.size()) : held);
  };

  const { pause, resume } = onlyWhenEmpty(socket, {
    holds: () => held.length > 0,
    wants: (more) => {
      state.reading = more;
      if (more) goOnLater();
    },
  });

  const goOn = (): void => {
    if (held.length === 0 || !state.parsing || socket.destroyed) return;
    parseTurns();
    if (held.length === 0 && state.reading) resume();
  };

  const goOnLater = (): void => {
    if (held.length > 0) backlog.add(goOn);
  };

  const parseTurns = (): void => {
    portion.begin();
    while (state.parsing && held.length > 0) {
      const size = turn();
      if (size === 0) {
        pause();
        return;
      }
      if (current === undefined && socket.writableNeedDrain) {
        // A client that does not read its answers gets no further ones.
        pause();
        return void socket.once('drain', goOnLater);
      }
      const piece = held.subarray(0, size);
      held = held.subarray(size);
      if (current === undefined && !line.endsWith('\r')) line = readLine(line, piece);
      seam = seamAfter(seam, piece);
      if (current?.bodyLeft) current.bodyLeft -= size;
      parse.call(socket, piece);
      if (state.parsing && held.length > 0 && (!state.reading || portion.isDone())) {
        pause();
        if (state.reading) goOnLater();
        return;
      }
    }
  };

  /** Nothing is in front of it, and nothing but one message is in it: what most clients send, and parsed without being taken apart. */
  const isMessageAlone = (chunk: Buffer): boolean =>
    held.length === 0 && seam === '' && line === '' && isOneMessage(chunk) && !socket.writableNeedDrain;

  const arrived = (chunk: Buffer): void => {
    if (!state.parsing) return;
    const isBetween = underWay() === undefined;
    if (isBetween && isMessageAlone(chunk)) {
      line = readLine(line, chunk);
      parse.call(socket, chunk);
      return;
    }
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    if (isBetween) parseTurns();
    // A client that goes on with its body has been served: it may wait for others.
    else if (backlog.mayGoOn(goOn)) parseTurns();
    else pause();
  };

  socket.removeAllListeners('data');
  socket.on('data', arrived);

  return {
    begin: (message) => {
      current = { message, answered: false, bodyLeft: declaredLength(message.rawHeaders) };
      const protocol = line.slice(line.lastIndexOf(' ') + 1, -1);
      line = '';
      return protocol;
    },
    answered: () => {
      if (current !== undefined) current.answered = true;
      if (held.length > 0 && backlog.mayGoOn(goOn)) goOn();
    },
    holds: () => held.length > 0,
    discard: () => {
      state.parsing = false;
      held = NOTHING;
      socket.resume();
    },
    release: () => {
      state.parsing = false;
      socket.off('data', arrived);
      const rest = held;
      held = NOTHING;
      return rest;
    },
  };
}

/** The last characters of a line, up to its CR, that came in pieces; empty lines in front of it do not count. */
function readLine(line: string, piece: Buffer): string {
  let start = 0;
  if (line === '') while (piece[start] === CR || piece[start] === LF) start += 1;
  const end = piece.indexOf(CR, start);
  if (line === '' && endsAsUsual(piece, end)) return USUAL;
  const from = Math.max(start, (end === -1 ? piece.length : end) - LONGEST_WORD);
  return (line + piece.toString('latin1', from, end === -1 ? piece.length : end + 1)).slice(-LONGEST_WORD);
}

/** What the line of nearly every request ends with. */
const USUAL = ' HTTP/1.1\r';
const USUAL_BYTES = Buffer.from(USUAL);

/** Seen without making text of it. `end` is where the line ends. */
function endsAsUsual(piece: Buffer, end: number): boolean {
  const from = end + 1 - USUAL_BYTES.length;
  return from >= 0 && piece.compare(USUAL_BYTES, 0, USUAL_BYTES.length, from, end + 1) === 0;
}

const CR = 13;
const LF = 10;
/** Longer than `HTTP/1.1` with the space before and the CR behind it. */
const LONGEST_WORD = 16;

interface Current {
  readonly message: IncomingMessage;
  answered: boolean;
  /** Bytes of the body that were not parsed yet, where the client declared how many there are. */
  bodyLeft: number | undefined;
}

/** Node's parser pauses a connection whose message nobody reads and resumes it when somebody does; nothing more is read before what is held is parsed. */
function onlyWhenEmpty(
  socket: Duplex,
  { holds, wants }: { readonly holds: () => boolean; readonly wants: (more: boolean) => void },
): { readonly pause: () => void; readonly resume: () => void } {
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
const STRETCH = 1;
/** Of one byte in each chunk these are 170 chunks. */
const LEAST_PORTION = 1024;
/** As much as one read of a connection gives. */
const MOST_PORTION = 64 * 1024;

const NOTHING = Buffer.alloc(0);

/** What every head ends with, and every chunked body. */
const EMPTY_LINE = '\r\n\r\n';

/** A head, and the whole of the body whose length it declares. Doubtful ones are taken apart. */
function isOneMessage(bytes: Buffer): boolean {
  const at = bytes.indexOf(EMPTY_LINE);
  if (at === -1) return false;
  const rest = bytes.length - at - EMPTY_LINE.length;
  return rest === 0 || rest === onlyLength(bytes.toString('latin1', 0, at + 2));
}

/** What the one Content-Length of a head says; undefined where there is more, or something else, that tells where the body ends. */
function onlyLength(head: string): number | undefined {
  const found = head.match(ENDS_BODY);
  const digits = found?.length === 1 ? LENGTH.exec(found[0])?.[1] : undefined;
  return digits === undefined ? undefined : Number(digits);
}

const ENDS_BODY = /\r\n(?:content-length|transfer-encoding|upgrade|expect)[^\r]*/gi;
const LENGTH = /^\r\ncontent-length: ?(\d{1,9})$/i;

/** Bytes up to and including the next empty line, all of them when there is none. `seam` is the end of what was parsed before. */
function endOfLines(seam: string, bytes: Buffer): number {
  if (seam !== '') {
    const across = (seam + bytes.toString('latin1', 0, EMPTY_LINE.length - 1)).indexOf(EMPTY_LINE);
    if (across !== -1) return across + EMPTY_LINE.length - seam.length;
  }
  const at = bytes.indexOf(EMPTY_LINE);
  return at === -1 ? bytes.length : at + EMPTY_LINE.length;
}

/** The last bytes that were parsed, as long as they may be the beginning of an empty line. */
function seamAfter(seam: string, piece: Buffer): string {
  const end = (seam + piece.toString('latin1', Math.max(0, piece.length - EMPTY_LINE.length))).slice(
    -EMPTY_LINE.length,
  );
  return end === EMPTY_LINE ? '' : end.slice(1 - EMPTY_LINE.length);
}

function declaredLength(rawHeaders: readonly string[]): number | undefined {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 14 && name.toLowerCase() === 'content-length') return Number(rawHeaders[index + 1]);
  }
  return undefined;
}
