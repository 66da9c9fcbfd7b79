import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';

/** What comes over a WebSocket (RFC 6455, section 5), put together from its frames. */
export interface Message {
  /** `TEXT`, 2 for bytes; from 8 on it is a control frame, which comes between the frames of other messages. */
  readonly opcode: number;
  /** Without its mask. */
  readonly payload: Buffer;
}

export interface MessageReader {
  /** The messages that `bytes` complete, in order. Throws nothing but what `tooLarge` throws. */
  readonly push: (bytes: Uint8Array) => readonly Message[];
}

export const TEXT = 1;
const CONTINUATION = 0;
const FIRST_CONTROL = 8;

/** Bytes that one message may have. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Reads frames wherever their bytes are cut, masked or not. A message of more than `limit` bytes is skipped, and `tooLarge`
 * called, for whom that is not enough. (`ws` documents no reader of its own, and its one gives up the whole connection.)
 */
export function messageReader(tooLarge: () => void, limit: number = MOST_BYTES): MessageReader {
  let head: Buffer = Buffer.alloc(0);
  let frame: OpenFrame | undefined;
  let unfinished: OpenMessage | undefined;

  const begin = ({ opcode, last, mask, size }: Head): OpenFrame => {
    let message = opcode === CONTINUATION ? unfinished : { opcode, pieces: [], size: 0 };
    if (message !== undefined) message.size += size;
    const isTooLarge = message !== undefined && message.size > limit;
    if (isTooLarge) message = undefined;
    if (opcode < FIRST_CONTROL) unfinished = last ? undefined : message;
    if (isTooLarge) tooLarge();
    return { message, last, mask, size, left: size };
  };

  return {
    push: (bytes) => {
      const messages: Message[] = [];
      let rest = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      while (rest.length > 0 || frame?.left === 0) {
        if (frame === undefined) {
          head = head.length === 0 ? rest : Buffer.concat([head, rest]);
          const found = headOf(head);
          if (found === undefined) return messages;
          rest = head.subarray(found.length);
          head = Buffer.alloc(0);
          frame = begin(found);
        }
        rest = takePayload(frame, rest);
        if (frame.left > 0) continue;
        const { message, last } = frame;
        frame = undefined;
        if (last && message !== undefined)
          messages.push({ opcode: message.opcode, payload: Buffer.concat(message.pieces) });
      }
      return messages;
    },
  };
}

/** A message in one frame. What goes to a server is masked. */
export function writeFrame({ opcode, payload }: Message, toServer: boolean): Buffer {
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
  return Buffer.concat([head.subarray(0, length), mask, xor(payload, mask, 0)]);
}

interface OpenMessage {
  readonly opcode: number;
  readonly pieces: Buffer[];
  size: number;
}

/** A frame whose payload is arriving; without a message when that is skipped. */
interface OpenFrame {
  readonly message: OpenMessage | undefined;
  readonly last: boolean;
  readonly mask: Buffer | undefined;
  readonly size: number;
  left: number;
}

interface Head {
  readonly opcode: number;
  readonly last: boolean;
  readonly mask: Buffer | undefined;
  /** Of the payload. */
  readonly size: number;
  /** Of the head itself. */
  readonly length: number;
}

/** Undefined while bytes of it are missing. */
function headOf(bytes: Buffer): Head | undefined {
  if (bytes.length < 2) return undefined;
  const [first = 0, second = 0] = bytes;
  const short = second & 0x7f;
  const isMasked = (second & 0x80) !== 0;
  const length = (short === 127 ? 10 : short === 126 ? 4 : 2) + (isMasked ? 4 : 0);
  if (bytes.length < length) return undefined;
  return {
    opcode: first & 0x0f,
    last: (first & 0x80) !== 0,
    mask: isMasked ? bytes.subarray(length - 4, length) : undefined,
    size: short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short,
    length,
  };
}

/** Moves what belongs to the frame from the beginning of `bytes` to its message, and gives the rest. */
function takePayload(frame: OpenFrame, bytes: Buffer): Buffer {
  const piece = bytes.subarray(0, frame.left);
  frame.message?.pieces.push(frame.mask === undefined ? piece : xor(piece, frame.mask, frame.size - frame.left));
  frame.left -= piece.length;
  return bytes.subarray(piece.length);
}

/** `at`: where in its payload the piece begins. */
function xor(piece: Uint8Array, mask: Uint8Array, at: number): Buffer {
  return Buffer.from(piece.map((byte, index) => byte ^ (mask[(at + index) % 4] ?? 0)));
}
