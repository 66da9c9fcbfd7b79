import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { ProxyError } from '../base/proxy-error.ts';

/** Bytes of interim answers before the final one; who says more than that says nothing. */
const MOST_BYTES = 64 * 1024;

/**
 * Takes the answers with a status of 1xx out of what comes over the connection (RFC 9110, section 15.2: a client must be able to parse
 * one or more of them before the final answer, even if it does not expect any). The client library under us takes a `100` that nobody
 * asked for as the end of the connection. `101` stays: it is final. `103` stays too, for who passes it on. More of them than anybody sends end the connection.
 */
export function skipInterimAnswers(socket: Socket): Socket {
  const write = socket.write.bind(socket);
  const read = socket.read.bind(socket);
  /** What came of the next answer, while it is not known what it is; undefined inside a final answer. */
  let head: Buffer | undefined;
  let skipped = 0;

  // One request at a time: an answer begins where a request has begun.
  socket.write = (data: string | Uint8Array, encoding?: BufferEncoding | Done, done?: Done): boolean => {
    if (typeof data === 'string' && REQUEST_LINE.test(data)) {
      head = NOTHING;
      skipped = 0;
    }
    return typeof encoding === 'function' ? write(data, encoding) : write(data, encoding, done);
  };
  const end = (why: string): null => {
    socket.destroy(new ProxyError('upstreamCallFailed', why));
    return null;
  };
  socket.read = (size?: number): Buffer | null => {
    for (;;) {
      const chunk: unknown = read(size);
      if (!Buffer.isBuffer(chunk)) return null;
      if (head === undefined) return chunk;
      if (head.length === 0 && isPlainlyFinal(chunk)) {
        head = undefined;
        return chunk;
      }
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
      const { hints, rest, isFinal } = withoutInterim(head);
      skipped += head.length - rest.length;
      head = isFinal ? undefined : rest;
      if (isFinal && OTHER_PROTOCOL.test(rest.toString('latin1', 0, LONGEST_START)))
        return end('the answer is no HTTP');
      if (isFinal) return hints.length === 0 ? rest : Buffer.concat([...hints, rest]);
      if (skipped + rest.length > MOST_BYTES) return end('too many interim answers');
      if (hints.length > 0) return Buffer.concat(hints);
    }
  };
  return socket;
}

type Done = (error?: Error | null) => void;

const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ \S+ HTTP\/1\.1\r\n/;
const NOTHING = Buffer.alloc(0);

/** `HTTP/1.1 1xx`, but not 101. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/;
/** What the parser of the client library takes for HTTP too. */
const OTHER_PROTOCOL = /^(?:RTSP|ICE)\//;
const LONGEST_START = 'HTTP/1.1 100 '.length;

/** `HTTP/1.x` and a status that begins with 2 to 5: what most answers begin with, seen without making text of it. */
function isPlainlyFinal(bytes: Buffer): boolean {
  const status = bytes[9] ?? 0;
  return bytes[0] === LETTER_H && status > DIGIT_1 && status <= DIGIT_5;
}

const LETTER_H = 72;
const DIGIT_1 = 49;
const DIGIT_5 = 53;

/** `HTTP/1.1 103` */
const EARLY_HINTS = /^HTTP\/1\.1 103[ \r]/;

interface Behind {
  /** Early hints, each a whole head. */
  readonly hints: readonly Buffer[];
  readonly rest: Buffer;
  readonly isFinal: boolean;
}

/** What is left of the bytes behind all interim answers, and whether that is no interim answer, nor may become one. */
function withoutInterim(bytes: Buffer): Behind {
  const hints: Buffer[] = [];
  let rest = bytes;
  for (;;) {
    const start = rest.toString('latin1', 0, LONGEST_START);
    if (!INTERIM.test(start)) return { hints, rest, isFinal: rest.length >= LONGEST_START || !isBeginning(start) };
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return { hints, rest, isFinal: false };
    if (EARLY_HINTS.test(start)) hints.push(rest.subarray(0, end + 4));
    rest = rest.subarray(end + 4);
  }
}

/** Whether more bytes could make an interim answer of it. */
function isBeginning(start: string): boolean {
  return /^(?:HTTP\/1\.[01] 1\d{0,2}|H|HT|HTT|HTTP|HTTP\/|HTTP\/1|HTTP\/1\.|HTTP\/1\.[01] ?|)$/.test(start);
}
