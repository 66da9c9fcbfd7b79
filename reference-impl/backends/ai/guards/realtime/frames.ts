import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';

/** What comes over a WebSocket (RFC 6455, section 5): a whole message, or a frame that is none and stays as it is. */
export type Unit =
  | { readonly kind: 'message'; readonly opcode: number; readonly payload: Buffer }
  | { readonly kind: 'control'; readonly bytes: Buffer };

export interface FrameReader {
  /** What `bytes` completes. Throws a RangeError for a message that is too large to be judged. */
  readonly push: (bytes: Uint8Array) => readonly Unit[];
}

/** Bytes that one message may have. */
const MOST_BYTES = 4 * 1024 * 1024;

export const TEXT = 1;
const CONTINUATION = 0;
const FIRST_CONTROL = 8;

/** Reads frames wherever they are cut, masked or not. */
export function frameReader(limit: number = MOST_BYTES): FrameReader {
  let rest: Buffer = Buffer.alloc(0);
  let message: { readonly opcode: number; readonly pieces: Buffer[]; size: number } | undefined;

  const take = (frame: Frame): readonly Unit[] => {
    if (frame.opcode >= FIRST_CONTROL) return [{ kind: 'control', bytes: frame.bytes }];
    if (frame.opcode !== CONTINUATION || message === undefined) {
      message = { opcode: frame.opcode, pieces: [], size: 0 };
    }
    message.pieces.push(unmask(frame));
    message.size += frame.size;
    if (message.size > limit) throw new RangeError('a message is too large');
    if (!frame.last) return [];
    const { opcode, pieces } = message;
    message = undefined;
    return [{ kind: 'message', opcode, payload: Buffer.concat(pieces) }];
  };

  return {
    push: (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      const units: Unit[] = [];
      for (let frame = frameAt(rest, limit); frame !== undefined; frame = frameAt(rest, limit)) {
        rest = rest.subarray(frame.bytes.length);
        units.push(...take(frame));
      }
      return units;
    },
  };
}

/** A message in one frame. What goes to a server is masked. */
export function writeFrame(opcode: number, payload: Uint8Array, toServer: boolean): Buffer {
  const head = Buffer.alloc(10);
  head[0] = 0x80 | opcode;
  const size = payload.byteLength;
  const length = size < 126 ? 2 : size < 65_536 ? 4 : 10;
  if (length === 2) head[1] = size;
  else if (length === 4) head.writeUInt16BE(size, 2);
  else head.writeBigUInt64BE(BigInt(size), 2);
  if (length > 2) head[1] = length === 4 ? 126 : 127;
  if (!toServer) return Buffer.concat([head.subarray(0, length), payload]);
  head[1] = (head[1] ?? 0) | 0x80;
  const mask = randomBytes(4);
  return Buffer.concat([head.subarray(0, length), mask, xor(payload, mask)]);
}

interface Frame {
  /** All of it. */
  readonly bytes: Buffer;
  readonly opcode: number;
  readonly last: boolean;
  readonly mask: Buffer | undefined;
  /** Of the payload, which is the end of the frame. */
  readonly size: number;
}

/** The frame that `bytes` begin with; undefined while some of it is missing. Throws a RangeError for one that is too large. */
function frameAt(bytes: Buffer, limit: number): Frame | undefined {
  const head = headAt(bytes);
  if (head === undefined) return undefined;
  if (head.size > limit) throw new RangeError('a message is too large');
  const end = head.length + head.size;
  if (bytes.length < end) return undefined;
  const [first = 0] = bytes;
  return {
    bytes: bytes.subarray(0, end),
    opcode: first & 0x0f,
    last: (first & 0x80) !== 0,
    mask: head.masked ? bytes.subarray(head.length - 4, head.length) : undefined,
    size: head.size,
  };
}

/** What comes before the payload, as long as `length`; `size` is the length of the payload. */
function headAt(
  bytes: Buffer,
): { readonly length: number; readonly size: number; readonly masked: boolean } | undefined {
  const [, second = 0] = bytes;
  const short = second & 0x7f;
  const lengths = short === 127 ? 8 : short === 126 ? 2 : 0;
  const masked = (second & 0x80) !== 0;
  const length = 2 + lengths + (masked ? 4 : 0);
  if (bytes.length < length) return undefined;
  const size = lengths === 8 ? Number(bytes.readBigUInt64BE(2)) : lengths === 2 ? bytes.readUInt16BE(2) : short;
  return { length, size, masked };
}

function unmask({ bytes, size, mask }: Frame): Buffer {
  const payload = bytes.subarray(bytes.length - size);
  return mask === undefined ? Buffer.from(payload) : xor(payload, mask);
}

function xor(bytes: Uint8Array, mask: Uint8Array): Buffer {
  return Buffer.from(bytes.map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
}
