import { Buffer } from 'node:buffer';
import { constants } from 'node:http2';
import { streamWindows } from './stream-windows.ts';

/** What RFC 9113 calls an error of the connection: its code, words for the log, and the last stream that a request came on. */
export interface BrokenRule {
  readonly latest: number;
  readonly code: number;
  readonly reason: string;
}

/** What of the bytes of a client is for the session, in their order, and what is wrong with the frame behind them. */
export interface Judged {
  readonly passed: readonly Buffer[];
  /** Streams whose window would become larger than any may be: to be reset with FLOW_CONTROL_ERROR. */
  readonly tooWide: readonly number[];
  readonly broken?: BrokenRule;
  /** Frames behind these: to be judged in another turn. */
  readonly left?: Buffer;
}

/** What is known of the session that the frames are for. */
export interface SessionFacts {
  readonly awaitsPong: () => boolean;
  /** Bytes of its body that a stream was given. */
  readonly handed: (stream: number) => number;
}

export interface ClientFrames {
  /**
   * Of the next bytes of the connection, which may begin and end anywhere. `mayGoOn` is asked before each portion of work but the first.
   * Behind a broken rule nothing is asked any more.
   */
  readonly judge: (bytes: Buffer, mayGoOn?: () => boolean) => Judged;
  /** The session is done with a stream; what its client still has under way for it is no error (section 5.1). */
  readonly over: (stream: number) => void;
}

/**
 * Looks at the heads of a client's frames for what `node:http2` bears and RFC 9113 does not. All other rules are left to Node.
 * docs/decisions/frontend-http2.md
 */
export function clientFrames({ awaitsPong, handed }: SessionFacts): ClientFrames {
  /** Of the preface, or of the frame whose head was read last. */
  let unread = PREFACE_LENGTH;
  let isForSession = true;
  /** Whether the unread bytes are of a header block. */
  let areFields = false;
  let begun: Buffer | undefined;
  let pongs = 0;
  const rules = streamRules();
  const windows = streamWindows(handed);

  /** False for a frame that the session shall not see, although its connection goes on. */
  const isBorne = (head: Head): boolean => {
    if (isPong(head)) return awaitsPong() || (pongs += 1) > MOST_PONGS;
    if (isSettings(head)) windows.announce(head.payload);
    return (
      !(isWindowUpdate(head) && rules.isKnown(head.stream)) || windows.widen(head.stream, numberAt(head.payload, 0))
    );
  };

  const judge = (chunk: Buffer, mayGoOn = (): boolean => true): Judged => {
    const bytes = begun === undefined ? chunk : Buffer.concat([begun, chunk]);
    begun = undefined;
    const passed: Buffer[] = [];
    const tooWide: number[] = [];
    let from = 0;
    let at = 0;
    /** Portions of work that nobody was asked about: what is left of a header block is one. */
    let done = areFields && unread > 0 ? 1 : 0;
    const pass = (): void => {
      if (isForSession && from < at) passed.push(bytes.subarray(from, at));
      from = at;
    };
    for (;;) {
      const more = Math.min(unread, bytes.length - at, areFields ? FIELDS_OF_A_PORTION : Infinity);
      at += more;
      unread -= more;
      if (at === bytes.length) break;
      const head = unread === 0 ? headAt(bytes, at) : undefined;
      if (unread > 0) {
        done += 1;
      } else if (head === undefined) {
        begun = bytes.subarray(at);
        break;
      }
      // A reset takes work away: the request that comes with its own is none by the time that the session tells of it.
      if (done >= 1 && head?.type !== RST_STREAM) {
        if (!mayGoOn()) {
          pass();
          return { passed, tooWide, left: bytes.subarray(at) };
        }
        done -= 1;
      }
      if (head === undefined) continue;
      areFields = head.type === HEADERS || head.type === CONTINUATION;
      done += areFields ? 1 : 1 / (isAnswered(head) ? ANSWERED_OF_A_PORTION : FRAMES_OF_A_PORTION);
      const broken = rules.broken(head);
      if (broken !== undefined) {
        pass();
        return { passed, tooWide, broken };
      }
      const borne = isBorne(head);
      if (!borne && isWindowUpdate(head)) tooWide.push(head.stream);
      if (borne !== isForSession) {
        pass();
        isForSession = borne;
      }
      unread = HEAD + head.length;
    }
    pass();
    return { passed, tooWide };
  };
  const over = (stream: number): void => {
    rules.over(stream);
    windows.over(stream);
  };
  return { judge, over };
}

/** Bytes, as they are on the wire: each may stand for a field. A frame with more of them is passed on in pieces. */
const FIELDS_OF_A_PORTION = 512;

/** Each is answered by a write of its own, which costs a hundred times as much as reading it. */
function isAnswered({ type }: Head): boolean {
  return type === PING || type === SETTINGS;
}

const ANSWERED_OF_A_PORTION = 8;

/** Others than these and those with fields. */
const FRAMES_OF_A_PORTION = 64;

/** Section 3.4. */
const PREFACE_LENGTH = 24;

/** Section 6.7: an answer to no PING is not answered, and Node would end the connection. It may do so from here on. */
const MOST_PONGS = 100;

/** Sections 5.1 and 5.1.1, and 6.3. */
function streamRules(): {
  readonly broken: (head: Head) => BrokenRule | undefined;
  readonly over: (stream: number) => void;
  /** Whether a request has begun on it, whatever became of that. */
  readonly isKnown: (stream: number) => boolean;
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
        if (stream !== 0 && (head.payload.length === 0 || stream !== numberAt(head.payload, 0))) return undefined;
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
  return { broken, over, isKnown: (stream) => stream % 2 === 1 && stream <= latest };
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
  /** As much of it as is looked at; mostly nothing. */
  readonly payload: Buffer;
}

const HEAD = 9;
const DATA = 0;
const HEADERS = 1;
const PRIORITY = 2;
const RST_STREAM = 3;
const SETTINGS = 4;
const PING = 6;
const WINDOW_UPDATE = 8;
const CONTINUATION = 9;
const END_STREAM = 1;
const ACK = 1;

/** Undefined as long as it is not all there, with what is looked at of its payload. */
function headAt(bytes: Buffer, at: number): Head | undefined {
  if (bytes.length - at < HEAD) return undefined;
  const length = bytes.readUIntBE(at, 3);
  const type = bytes.readUInt8(at + 3);
  const end = at + HEAD + lookedAt(type, length);
  if (bytes.length < end) return undefined;
  return {
    length,
    type,
    flags: bytes.readUInt8(at + 4),
    stream: numberAt(bytes, at + 5),
    payload: bytes.subarray(at + HEAD, end),
  };
}

/** Bytes of a payload. One of another length is an error that Node knows. */
function lookedAt(type: number, length: number): number {
  if (type === PRIORITY) return length === 5 ? 4 : 0;
  if (type === WINDOW_UPDATE) return length === 4 ? 4 : 0;
  return type === SETTINGS && length <= MOST_SETTINGS ? length : 0;
}

/** Bytes of as many settings as a session takes at once. */
const MOST_SETTINGS = 32 * 6;

/** The first bit says something else, or nothing. */
function numberAt(bytes: Buffer, at: number): number {
  return bytes.readUInt32BE(at) & 0x7f_ff_ff_ff;
}

function isPong({ type, flags, stream, length }: Head): boolean {
  return type === PING && (flags & ACK) !== 0 && stream === 0 && length === 8;
}

function isSettings({ type, flags, stream }: Head): boolean {
  return type === SETTINGS && (flags & ACK) === 0 && stream === 0;
}

/** One of zero is an error that Node knows. */
function isWindowUpdate({ type, payload }: Head): boolean {
  return type === WINDOW_UPDATE && payload.length > 0 && numberAt(payload, 0) > 0;
}
