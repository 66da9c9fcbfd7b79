import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { PREFACE, settings } from '../http2-frames.ts';

/** Connections of somebody hostile. They last as long as the thread that opened them. */
export interface Crowd {
  /** Connections that say these bytes and nothing more. */
  readonly saying: (count: number, port: number, bytes: Buffer | string, how?: How) => Promise<unknown>;
  /** Connections that say the first bytes at once and the others one by one. */
  readonly dripping: (count: number, port: number, text: string, atOnce?: number) => Promise<unknown>;
  /** Connections of HTTP/2 that send these frames and read nothing. */
  readonly framing: (count: number, port: number, frames: readonly Buffer[]) => Promise<unknown>;
  /** One connection for each byte of the text and as many of the answer, reset there. */
  readonly resetting: (port: number, text: string) => Promise<unknown>;
}

interface How {
  /** Closes its writing half. */
  readonly end?: true;
  /** Reads nothing. */
  readonly paused?: true;
}

export function gather(): Crowd {
  return {
    saying,
    dripping: (count, port, text, atOnce = 0) =>
      all(count, async () => {
        const socket = await open(port);
        let said = atOnce;
        socket.resume().write(text.slice(0, atOnce));
        setInterval(() => {
          if (said < text.length && socket.writable) socket.write(text.charAt(said));
          said += 1;
        }, 20);
      }),
    framing: (count, port, frames) => {
      const bytes = Buffer.concat([Buffer.from(PREFACE), settings(), ...frames]);
      return saying(count, port, bytes, { paused: true });
    },
    resetting: (port, text) =>
      all(text.length * 2, async (index) => {
        const socket = await open(port);
        socket.write(text.slice(0, index + 1));
        if (index >= text.length) await Promise.race([once(socket, 'readable'), once(socket, 'close')]);
        socket.read(index - text.length);
        socket.resetAndDestroy();
      }),
  };
}

const saying: Crowd['saying'] = (count, port, bytes, { end, paused } = {}) =>
  all(count, async () => {
    const socket = await open(port);
    if (paused === undefined) socket.resume();
    if (bytes.length > 0) socket.write(bytes);
    if (end) socket.end();
  });

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  socket.on('error', () => {
    // Whoever is hostile is cut off.
  });
  await once(socket, 'connect');
  return socket;
}

function all(count: number, run: (index: number) => Promise<void>): Promise<unknown> {
  return Promise.all(Array.from({ length: count }, (_, index) => run(index)));
}
