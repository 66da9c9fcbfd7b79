import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';

/** One message of cloud A's binary event stream. */
export interface EventStreamMessage {
  /** The header fields that are text, by name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly payload: Uint8Array;
}

/** Reads a stream piece by piece; where the pieces are cut makes no difference. */
export interface EventStreamDecoder {
  /** The messages that `bytes` completes. */
  readonly push: (bytes: Uint8Array) => readonly EventStreamMessage[];
  /** Why the stream cannot be read any further; nothing more comes out of this decoder then. */
  readonly failure: () => string | undefined;
}

/** Bytes that one message may have. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

/*
 * A message: total length and length of the headers (4 bytes each, the higher ones first), CRC-32 of these 8 bytes,
 * headers, payload, CRC-32 of all before it.
 */
const PRELUDE = 12;
const CHECKSUM = 4;

/** A decoder for one stream. Never throws; a message that is not what its checksums say is a failure. */
export function eventStreamDecoder(limit: number = MAX_MESSAGE_BYTES): EventStreamDecoder {
  const pending = byteQueue();
  let failure: string | undefined;

  /** The next whole message; undefined when it is not there yet, or cannot be read. */
  const next = (): EventStreamMessage | undefined => {
    const prelude = pending.peek(PRELUDE);
    if (prelude === undefined) return undefined;
    const length = prelude.readUInt32BE(0);
    failure = preludeProblem(prelude, length, limit);
    const bytes = failure === undefined ? pending.peek(length) : undefined;
    if (bytes === undefined) return undefined;
    pending.drop(length);
    const message = messageOf(bytes, prelude.readUInt32BE(4));
    if (message === undefined) failure = CORRUPT;
    return message;
  };

  return {
    push: (bytes) => {
      if (failure !== undefined) return [];
      pending.add(bytes);
      const messages: EventStreamMessage[] = [];
      for (let message = next(); message !== undefined; message = next()) messages.push(message);
      return messages;
    },
    failure: () => failure,
  };
}

const CORRUPT = 'the event stream is corrupt';

function preludeProblem(prelude: Buffer, length: number, limit: number): string | undefined {
  if (crc32(prelude.subarray(0, 8)) !== prelude.readUInt32BE(8)) return CORRUPT;
  if (length < PRELUDE + CHECKSUM + prelude.readUInt32BE(4)) return CORRUPT;
  return length > limit ? 'an event is too large' : undefined;
}

function messageOf(bytes: Buffer, headersLength: number): EventStreamMessage | undefined {
  const end = bytes.length - CHECKSUM;
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end)) return undefined;
  const headers = headersOf(bytes.subarray(PRELUDE, PRELUDE + headersLength));
  return headers && { headers, payload: bytes.subarray(PRELUDE + headersLength, end) };
}

/** How long values of each type are; -1 for those that say it in 2 bytes of their own. */
const VALUE_LENGTHS = [0, 0, 1, 2, 4, 8, -1, -1, 8, 16];
const TEXT = 7;

/** Undefined when the bytes are no header fields. */
function headersOf(bytes: Buffer): ReadonlyMap<string, string> | undefined {
  const headers = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + (bytes[at] ?? 0);
    const type = bytes[nameEnd] ?? -1;
    const fixed = VALUE_LENGTHS[type];
    const start = nameEnd + (fixed === -1 ? 3 : 1);
    if (fixed === undefined || start > bytes.length) return undefined;
    const end = start + (fixed === -1 ? bytes.readUInt16BE(start - 2) : fixed);
    if (end > bytes.length) return undefined;
    if (type === TEXT) headers.set(bytes.toString('utf8', at + 1, nameEnd), bytes.toString('utf8', start, end));
    at = end;
  }
  return headers;
}

/** Bytes that came and are not used up; joined only when more are wanted at once than came in one piece. */
function byteQueue(): {
  readonly add: (bytes: Uint8Array) => void;
  readonly peek: (count: number) => Buffer | undefined;
  readonly drop: (count: number) => void;
} {
  let pieces: Buffer[] = [];
  let size = 0;
  const first = (count: number): Buffer => {
    const [piece] = pieces;
    if (piece !== undefined && piece.length >= count) return piece;
    const all = Buffer.concat(pieces);
    pieces = [all];
    return all;
  };
  return {
    add: (bytes) => {
      pieces.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      size += bytes.length;
    },
    peek: (count) => (size < count ? undefined : first(count).subarray(0, count)),
    drop: (count) => {
      pieces[0] = first(count).subarray(count);
      size -= count;
    },
  };
}
