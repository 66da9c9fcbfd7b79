import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Backlog } from './backlog.ts';
import type { BrokenRule, ClientFrames } from './client-frames.ts';

/** Where frames wait, and who hears of those that did not pass. */
export interface Surroundings {
  readonly backlog: Backlog;
  /** Why the connection ends. */
  readonly refused: (reason: string) => void;
  /** The stream is to be reset. Its session may not know it yet. */
  readonly tooWide: (stream: number) => void;
}

/**
 * The connection as the session of `node:http2` sees it: the frames of its client that may pass. The first that breaks a rule is answered with
 * GOAWAY, nothing comes behind it, and `refused` is told why.
 */
export function judgedConnection(
  socket: Socket,
  frames: ClientFrames,
  { backlog, refused, tooWide }: Surroundings,
): Duplex {
  /** What has come and was not judged yet. The connection is not read meanwhile. */
  let held: Buffer | undefined;
  const inner = new Duplex({
    allowHalfOpen: true,
    read: () => {
      if (held === undefined) socket.resume();
    },
    write: (chunk: Uint8Array, _encoding, done) => {
      socket.write(chunk, done);
    },
    // What the session says at once leaves at once.
    writev: (chunks: readonly { readonly chunk: Uint8Array }[], done) => {
      socket.cork();
      for (const [index, { chunk }] of chunks.entries())
        socket.write(chunk, index === chunks.length - 1 ? done : undefined);
      socket.uncork();
    },
    final: (done) => {
      socket.end(done);
    },
    destroy: (error, done) => {
      held = undefined;
      socket.off('data', take);
      socket.destroy();
      done(error);
    },
  });
  const take = (bytes: Buffer): void => {
    held = held === undefined ? bytes : Buffer.concat([held, bytes]);
    judge();
  };
  const mayGoOn = (): boolean => backlog.mayGoOn(judge);
  const judge = (): void => {
    if (held === undefined) return;
    const { passed, tooWide: streams, broken, left } = frames.judge(held, mayGoOn);
    held = left;
    let hasRoom = true;
    for (const piece of passed) hasRoom = inner.push(piece);
    for (const stream of streams) tooWide(stream);
    if (broken !== undefined) {
      // What comes behind it is thrown away. A session writes whole frames, so this is one of them.
      socket.off('data', take).resume().write(goaway(broken));
      refused(broken.reason);
    } else if (left !== undefined) {
      socket.pause();
    } else if (hasRoom) {
      socket.resume();
    } else {
      socket.pause();
    }
  };
  socket.on('data', take);
  socket.once('end', () => {
    held = undefined;
    inner.push(null);
  });
  socket.once('error', (error) => inner.destroy(error));
  socket.once('close', () => inner.destroy());
  return inner;
}

/** RFC 9113, section 6.8. */
function goaway({ code, latest }: BrokenRule): Buffer {
  const frame = Buffer.from([0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  frame.writeUInt32BE(latest, 9);
  frame.writeUInt32BE(code, 13);
  return frame;
}
