import { Buffer } from 'node:buffer';

/**
 * Reads the text messages out of the bytes of a WebSocket (RFC 6455, section 5) as a server sends them, wherever they are
 * cut. Messages that are larger than allowed, and everything that is no text, are skipped. Never throws.
 */
export interface FrameTexts {
  /** The texts that `bytes` completes. */
  readonly push: (bytes: Uint8Array) => readonly string[];
}

/** Bytes that one message may have to be read. */
export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

const CONTINUATION = 0;
const TEXT = 1;

/** A frame whose payload is arriving. */
interface OpenFrame {
  readonly opcode: number;
  readonly last: boolean;
  left: number;
}

export function frameTexts(limit: number = MAX_MESSAGE_BYTES): FrameTexts {
  let head: Buffer = Buffer.alloc(0);
  let frame: OpenFrame | undefined;
  let message: { readonly pieces: Buffer[]; size: number } | undefined;

  const begin = (opcode: number): void => {
    if (opcode === TEXT) message = { pieces: [], size: 0 };
    else if (opcode > CONTINUATION && opcode < 8) message = undefined;
  };

  const keep = (piece: Buffer, { opcode }: OpenFrame): void => {
    if (message === undefined || opcode > TEXT) return;
    message.size += piece.length;
    if (message.size > limit) message = undefined;
    else message.pieces.push(piece);
  };

  const finished = ({ opcode, last }: OpenFrame): readonly string[] => {
    if (message === undefined || opcode > TEXT || !last) return [];
    const text = Buffer.concat(message.pieces).toString('utf8');
    message = undefined;
    return [text];
  };

  return {
    push: (bytes) => {
      const texts: string[] = [];
      let rest = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      while (rest.length > 0 || frame?.left === 0) {
        if (frame === undefined) {
          head = Buffer.concat([head, rest]);
          const read = headOf(head);
          if (read === undefined) return texts;
          rest = head.subarray(read.size);
          head = Buffer.alloc(0);
          frame = read.frame;
          begin(frame.opcode);
        }
        const piece = rest.subarray(0, frame.left);
        rest = rest.subarray(piece.length);
        frame.left -= piece.length;
        keep(piece, frame);
        if (frame.left > 0) continue;
        texts.push(...finished(frame));
        frame = undefined;
      }
      return texts;
    },
  };
}

/** Undefined while bytes of it are missing. */
function headOf(bytes: Buffer): { readonly frame: OpenFrame; readonly size: number } | undefined {
  if (bytes.length < 2) return undefined;
  const [first = 0, second = 0] = bytes;
  const short = second & 0x7f;
  const size = (short === 127 ? 10 : short === 126 ? 4 : 2) + ((second & 0x80) === 0 ? 0 : 4);
  if (bytes.length < size) return undefined;
  const left = short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short;
  return { frame: { opcode: first & 0x0f, last: (first & 0x80) !== 0, left }, size };
}
