import { Buffer } from 'node:buffer';
import { connect } from 'node:net';

/** Single frames of HTTP/2 as a client without any manners sends them (RFC 9113, sections 4 and 6). */
export function frame(type: number, flags: number, stream: number, payload: Buffer | string = ''): Buffer {
  const bytes = typeof payload === 'string' ? Buffer.from(payload, 'latin1') : payload;
  const head = Buffer.alloc(9);
  head.writeUIntBE(bytes.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, bytes]);
}

export const DATA = 0;
export const HEADERS = 1;
export const PRIORITY = 2;
export const RST_STREAM = 3;
export const SETTINGS = 4;
export const PUSH_PROMISE = 5;
export const PING = 6;
export const GOAWAY = 7;
export const WINDOW_UPDATE = 8;
export const CONTINUATION = 9;

export const END_STREAM = 1;
export const ACK = 1;
export const END_HEADERS = 4;
export const PADDED = 8;
export const WITH_PRIORITY = 32;

export const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

/** A header block of literal fields that nobody keeps in a table (RFC 7541, section 6.2.2). */
export function block(...fields: readonly (readonly [name: string, value: string])[]): Buffer {
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]));
}

/** Texts of up to 16,509 bytes, not in Huffman's code. */
function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  const length = bytes.length;
  if (length < 127) return Buffer.concat([Buffer.from([length]), bytes]);
  const rest = length - 127;
  return Buffer.concat([Buffer.from([127, (rest & 127) | 128, rest >> 7]), bytes]);
}

export function settings(...pairs: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(pairs.length * 6);
  for (const [index, [id, value]] of pairs.entries()) {
    payload.writeUInt16BE(id, index * 6);
    payload.writeUInt32BE(value, index * 6 + 2);
  }
  return frame(SETTINGS, 0, 0, payload);
}

export function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** What came back. */
export interface Heard {
  readonly frames: readonly Frame[];
  /** The last bytes were no whole frame. */
  readonly rest: Buffer;
  readonly closed: boolean;
}

/** Bytes for later: when the frames that came say so. */
export interface Later {
  readonly when: (frames: readonly Frame[]) => boolean;
  readonly bytes: Buffer;
}

/** Sends bytes as they are and reads frames until `enough` says so, or the connection is closed. */
export function converse(
  port: number,
  bytes: Buffer | string,
  enough: (frames: readonly Frame[]) => boolean,
  later?: Later,
): Promise<Heard> {
  let waiting = later;
  return new Promise((resolve) => {
    const frames: Frame[] = [];
    let rest: Buffer = Buffer.alloc(0);
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => socket.write(bytes, 'latin1'));
    const settle = (closed: boolean): void => {
      socket.destroy();
      resolve({ frames, rest, closed });
    };
    socket.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      for (let next = first(rest); next !== undefined; next = first(rest)) {
        frames.push(next);
        rest = rest.subarray(9 + next.payload.length);
      }
      if (waiting?.when(frames) === true) {
        socket.write(waiting.bytes);
        waiting = undefined;
      }
      if (enough(frames)) settle(false);
    });
    socket.on('error', () => {
      // A reset is an end too.
    });
    socket.once('close', () => {
      settle(true);
    });
  });
}

function first(bytes: Buffer): Frame | undefined {
  if (bytes.length < 9) return undefined;
  const length = bytes.readUIntBE(0, 3);
  if (bytes.length < 9 + length) return undefined;
  return {
    type: bytes.readUInt8(3),
    flags: bytes.readUInt8(4),
    stream: bytes.readUInt32BE(5),
    payload: bytes.subarray(9, 9 + length),
  };
}
