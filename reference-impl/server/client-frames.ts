import { Buffer } from 'node:buffer';
import { constants } from 'node:http2';

/** What RFC 9113 calls an error of the connection: its code, words for the log, and the last stream that a request came on. */
export interface BrokenRule {
  readonly latest: number;
  readonly code: number;
  readonly reason: string;
}

/** What of the bytes of a client is for the session, in their order, and what is wrong with the frame behind them. */
export interface Judged {
  readonly passed: readonly Buffer[];
  readonly broken?: BrokenRule;
}

export interface ClientFrames {
  /** Of the next bytes of the connection, which may begin and end anywhere. Behind a broken rule nothing is asked any more. */
  readonly judge: (bytes: Buffer) => Judged;
  /** The session is done with a stream; what its client still has under way for it is no error (section 5.1). */
  readonly over: (stream: number) => void;
}

/**
 * Looks at the heads of a client's frames for what `node:http2` bears and RFC 9113 does not. All other rules are left to Node.
 * docs/decisions/frontend-http2.md
 */
export function clientFrames(awaitsPong: () => boolean): ClientFrames {
  /** Of the preface, or of the frame whose head was read last. */
  let unread = PREFACE_LENGTH;
  let isForSession = true;
  let begun: Buffer | undefined;
  let pongs = 0;
  const rules = streamRules();

  const judge = (chunk: Buffer): Judged => {
    const bytes = begun === undefined ? chunk : Buffer.concat([begun, chunk]);
    begun = undefined;
    const passed: Buffer[] = [];
    let from = 0;
    let at = 0;
    const pass = (): void => {
      if (isForSession && from < at) passed.push(bytes.subarray(from, at));
      from = at;
    };
    for (;;) {
      const more = Math.min(unread, bytes.length - at);
      at += more;
      unread -= more;
      if (at === bytes.length) break;
      const head = headAt(bytes, at);
      if (head === undefined) {
        begun = bytes.subarray(at);
        break;
      }
      const broken = rules.broken(head);
      if (broken !== undefined) {
        pass();
        return { passed, broken };
      }
      const isUnasked = isPong(head) && !awaitsPong() && (pongs += 1) <= MOST_PONGS;
      if (isUnasked === isForSession) {
        pass();
        isForSession = !isUnasked;
      }
      unread = HEAD + head.length;
    }
    pass();
    return { passed };
  };
  return { judge, over: rules.over };
}

/** Section 3.4. */
const PREFACE_LENGTH = 24;

/** Section 6.7: an answer to no PING is not answered, and Node would end the connection. It may do so from here on. */
const MOST_PONGS = 100;

/** Sections 5.1 and 5.1.1, and 6.3. */
function streamRules(): {
  readonly broken: (head: Head) => BrokenRule | undefined;
  readonly over: (stream: number) => void;
} {
  let latest = 0;
  /** Streams on which the client may go on. */
  const sending = new Set<number>();
  /** Streams that ended from here before the client came to their end, so that it may not know yet. */
  const left = new Set<number>();

  const late = ({ type, stream }: Head): BrokenRule | undefined => {
    if (stream === 0 || stream > latest || sending.has(stream) || left.has(stream)) return undefined;
    return type === HEADERS && stream !== latest
      ? { latest, code: constants.NGHTTP2_PROTOCOL_ERROR, reason: 'a stream with a smaller number than one before' }
      : { latest, code: constants.NGHTTP2_STREAM_CLOSED, reason: 'a frame behind the end of its stream' };
  };

  const broken = (head: Head): BrokenRule | undefined => {
    const { type, flags, stream } = head;
    switch (type) {
      case DATA:
      case HEADERS: {
        const wrong = late(head);
        if (wrong !== undefined) return wrong;
        // An even number is an error that Node knows.
        if (type === HEADERS && stream > latest) {
          if ((flags & END_STREAM) === 0) sending.add(stream);
          if (sending.size > MOST_UNFINISHED)
            return { latest, code: constants.NGHTTP2_ENHANCE_YOUR_CALM, reason: 'too many unfinished streams' };
          latest = stream;
        } else if ((flags & END_STREAM) !== 0) {
          sending.delete(stream);
        }
        return undefined;
      }
      case RST_STREAM:
        sending.delete(stream);
        return undefined;
      case PRIORITY:
        if (stream !== 0 && stream !== head.dependency) return undefined;
        return { latest, code: constants.NGHTTP2_PROTOCOL_ERROR, reason: 'a PRIORITY that is about no other stream' };
      default:
        return undefined;
    }
  };

  const over = (stream: number): void => {
    if (!sending.delete(stream)) return;
    left.add(stream);
    const [first] = left;
    if (left.size > MOST_LEFT && first !== undefined) left.delete(first);
  };
  return { broken, over };
}

/** Twice as many as may be open: who opens more has heard that the first are over. */
const MOST_LEFT = 500;

/** Of streams that Node refused before anybody saw them nobody says that they are over. */
const MOST_UNFINISHED = 1000;

/** Section 4.1. */
interface Head {
  readonly length: number;
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  /** Of PRIORITY: the stream it depends on. */
  readonly dependency: number | undefined;
}

const HEAD = 9;
const DATA = 0;
const HEADERS = 1;
const PRIORITY = 2;
const RST_STREAM = 3;
const PING = 6;
const END_STREAM = 1;
const ACK = 1;

/** Undefined as long as it is not all there. */
function headAt(bytes: Buffer, at: number): Head | undefined {
  if (bytes.length - at < HEAD) return undefined;
  const length = bytes.readUIntBE(at, 3);
  const type = bytes.readUInt8(at + 3);
  // One of another length is an error that Node knows.
  const depends = type === PRIORITY && length === 5;
  if (depends && bytes.length - at < HEAD + 4) return undefined;
  return {
    length,
    type,
    flags: bytes.readUInt8(at + 4),
    stream: numberAt(bytes, at + 5),
    dependency: depends ? numberAt(bytes, at + HEAD) : undefined,
  };
}

/** The first bit says something else, or nothing. */
function numberAt(bytes: Buffer, at: number): number {
  return bytes.readUInt32BE(at) & 0x7f_ff_ff_ff;
}

function isPong({ type, flags, stream, length }: Head): boolean {
  return type === PING && (flags & ACK) !== 0 && stream === 0 && length === 8;
}
