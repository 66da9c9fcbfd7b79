import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';

/** Resolves when the system took the bytes, or when the stream is gone; never rejects. */
export function write(stream: Writable, bytes: Buffer): Promise<void> {
  if (stream.destroyed || bytes.length === 0) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once('close', resolve);
    stream.write(bytes, () => {
      stream.off('close', resolve);
      resolve();
    });
  });
}

/** Writes texts as they come until there are no more, or the stream is gone; never rejects. */
export async function writeLive(stream: Writable, texts: AsyncIterable<string>): Promise<void> {
  const reading = texts[Symbol.asyncIterator]();
  const closed = new Promise<undefined>((resolve) => stream.once('close', () => resolve(undefined)));
  while (!stream.destroyed) {
    const next = await Promise.race([reading.next(), closed]);
    if (next === undefined || next.done === true) return;
    await write(stream, Buffer.from(next.value));
  }
}

/** A pause the script asked for; cut short when the connection goes away. */
export function pause(ms: number, socket: Socket): Promise<void> {
  if (ms === 0 || socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      socket.off('close', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    socket.once('close', done);
  });
}
