import { Buffer } from 'node:buffer';
import { Code, ConnectError } from '@connectrpc/connect';

/** Bytes before each message: whether it is compressed, and four for its length. */
const PREFIX = 5;
/** Bytes of one message a server may send. */
const MOST_MESSAGE_BYTES = 4 * 1024 * 1024;

/** One message as it stands on the stream, not compressed. */
export function frame(message: Uint8Array): Buffer {
  const framed = Buffer.allocUnsafe(PREFIX + message.length);
  framed[0] = 0;
  framed.writeUInt32BE(message.length, 1);
  framed.set(message, PREFIX);
  return framed;
}

/** What has come of messages that may arrive in any pieces. */
export class Frames {
  #held: Buffer = Buffer.alloc(0);

  /** The messages that are whole with these bytes. Throws a ConnectError for one that is compressed or too long. */
  take(chunk: Buffer): readonly Uint8Array[] {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const whole: Uint8Array[] = [];
    let at = 0;
    for (let end = endOfMessage(bytes, at); end <= bytes.length; end = endOfMessage(bytes, at)) {
      whole.push(bytes.subarray(at + PREFIX, end));
      at = end;
    }
    this.#held = bytes.subarray(at);
    return whole;
  }

  /** Throws when the stream ended inside a message. */
  end(): void {
    if (this.#held.length > 0) throw new ConnectError('the stream ended inside a message', Code.InvalidArgument);
  }
}

/** Infinity as long as nobody knows. */
function endOfMessage(bytes: Buffer, at: number): number {
  if (bytes.length - at < PREFIX) return Infinity;
  if (bytes[at] !== 0) throw new ConnectError('a compressed message, which nobody asked for', Code.Internal);
  const length = bytes.readUInt32BE(at + 1);
  if (length > MOST_MESSAGE_BYTES) {
    throw new ConnectError(`a message of ${length} bytes, more than ${MOST_MESSAGE_BYTES}`, Code.ResourceExhausted);
  }
  return at + PREFIX + length;
}
