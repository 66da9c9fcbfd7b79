import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/**
 * Where the messages of one connection end (RFC 9112, section 6), as far as that can be told from its bytes without parsing them: behind the body
 * whose length is declared, else behind the next empty line, which a head ends with and a chunked body too.
 */
export class MessageEnds {
  #current: Current | undefined;
  /** The last bytes that were parsed, as long as they may be the beginning of an empty line. */
  #seam = '';
  /** The end of the request line, as far as it has come. */
  #line = '';

  /** The parser has seen a head. Gives the last word of its request line. */
  begin(message: IncomingMessage): string {
    this.#current = { message, answered: false, bodyLeft: declaredLength(message.rawHeaders) };
    const protocol = this.#line.slice(this.#line.lastIndexOf(' ') + 1, -1);
    this.#line = '';
    return protocol;
  }

  answered(): void {
    if (this.#current !== undefined) this.#current.answered = true;
  }

  /** Whether a message is still being read, or waits for its answer. */
  isUnderWay(): boolean {
    if (this.#current?.answered && this.#current.message.complete) {
      this.#current = undefined;
      this.#seam = '';
    }
    return this.#current !== undefined;
  }

  /** How many of the bytes that come next are of the message under way, or of the next one when it is its turn; at most `most`, where only their end tells. */
  next(bytes: Buffer, most: number): number {
    if (this.isUnderWay() && this.#current?.message.complete) return 0;
    if (this.#current?.bodyLeft) return Math.min(this.#current.bodyLeft, bytes.length);
    return endOfLines(this.#seam, bytes.length > most ? bytes.subarray(0, most) : bytes);
  }

  /** These bytes are parsed next. */
  pass(piece: Buffer): void {
    if (this.#current === undefined && !this.#line.endsWith('\r')) this.#line = readLine(this.#line, piece);
    this.#seam = seamAfter(this.#seam, piece);
    if (this.#current?.bodyLeft) this.#current.bodyLeft -= piece.length;
  }

  /** Between messages: whether these bytes are one message and nothing else, as what most clients send is. */
  isMessageAlone(bytes: Buffer): boolean {
    return this.#seam === '' && this.#line === '' && isOneMessage(bytes);
  }

  /** Such a message is parsed next, without being taken apart. */
  passWhole(bytes: Buffer): void {
    this.#line = readLine(this.#line, bytes);
  }
}

interface Current {
  readonly message: IncomingMessage;
  answered: boolean;
  /** Bytes of the body that were not parsed yet, where the client declared how many there are. */
  bodyLeft: number | undefined;
}

function declaredLength(rawHeaders: readonly string[]): number | undefined {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 14 && name.toLowerCase() === 'content-length') return Number(rawHeaders[index + 1]);
  }
  return undefined;
}

/** What every head ends with, and every chunked body. */
const EMPTY_LINE = '\r\n\r\n';
/** Found in half the time. */
const EMPTY_LINE_BYTES = Buffer.from(EMPTY_LINE);

/** A head, and the whole of the body whose length it declares. Doubtful ones are taken apart. */
function isOneMessage(bytes: Buffer): boolean {
  const at = bytes.indexOf(EMPTY_LINE_BYTES);
  if (at === -1) return false;
  const rest = bytes.length - at - EMPTY_LINE.length;
  return rest === 0 || rest === onlyLength(bytes.toString('latin1', 0, at + 2));
}

/** What the one Content-Length of a head says; undefined where there is more, or something else, that tells where the body ends. */
function onlyLength(head: string): number | undefined {
  const found = FIRST_OF_BODY.exec(head);
  const digits = found?.[1];
  if (found === null || digits === undefined) return undefined;
  return OF_BODY.test(head.slice(found.index + 1)) ? undefined : Number(digits);
}

const OF_BODY = /\r\n(?:content-length|transfer-encoding|upgrade|expect)/i;
/** Has digits only where a usual Content-Length comes first. */
const FIRST_OF_BODY = new RegExp(String.raw`\r\ncontent-length: ?(\d{1,9})(?=\r)|${OF_BODY.source}`, 'i');

/** Bytes up to and including the next empty line, all of them when there is none. `seam` is the end of what was parsed before. */
function endOfLines(seam: string, bytes: Buffer): number {
  if (seam !== '') {
    const across = (seam + bytes.toString('latin1', 0, EMPTY_LINE.length - 1)).indexOf(EMPTY_LINE);
    if (across !== -1) return across + EMPTY_LINE.length - seam.length;
  }
  const at = bytes.indexOf(EMPTY_LINE_BYTES);
  return at === -1 ? bytes.length : at + EMPTY_LINE.length;
}

function seamAfter(seam: string, piece: Buffer): string {
  const end = (seam + piece.toString('latin1', Math.max(0, piece.length - EMPTY_LINE.length))).slice(
    -EMPTY_LINE.length,
  );
  return end === EMPTY_LINE ? '' : end.slice(1 - EMPTY_LINE.length);
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
