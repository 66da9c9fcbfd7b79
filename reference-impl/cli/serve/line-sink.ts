import { write } from 'node:fs';

/** Takes lines and writes them in the background. */
export interface LineSink {
  /** Returns at once. A line beyond the bound is dropped and counted. */
  readonly write: (line: string) => void;
  /** Resolves when what was taken is written, or cannot be. */
  readonly flush: () => Promise<void>;
}

/** Milliseconds the first line waits for others: a write costs as much as a tenth of a request. */
const DELAY = 20;
/** Characters that wait for whoever reads the file descriptor. */
const MOST_WAITING = 8 * 1024 * 1024;

/**
 * Lines to a file descriptor, those of a short while in one write. Whoever reads a pipe slowly, or not at all, costs lines and
 * no request, since a write to it blocks a thread of its own and never the proxy.
 */
export function createLineSink(descriptor: number, onDrop: (count: number) => void): LineSink {
  let waiting: string[] = [];
  let size = 0;
  let writing: Promise<void> | undefined;

  const writeAll = async (): Promise<void> => {
    await new Promise((resolve) => {
      setTimeout(resolve, DELAY);
    });
    while (waiting.length > 0) {
      const lines = waiting;
      waiting = [];
      size = 0;
      if (!(await writeFully(descriptor, Buffer.from(lines.join(''))))) onDrop(lines.length);
    }
    writing = undefined;
  };

  return {
    write: (line) => {
      if (size + line.length > MOST_WAITING) {
        onDrop(1);
        return;
      }
      waiting.push(line);
      size += line.length;
      writing ??= writeAll();
    },
    flush: () => writing ?? Promise.resolve(),
  };
}

/** False when the bytes cannot be written: nobody is there any more. */
async function writeFully(descriptor: number, bytes: Buffer): Promise<boolean> {
  for (let at = 0; at < bytes.length;) {
    const written = await writeSome(descriptor, bytes, at);
    if (written === undefined) return false;
    at += written;
  }
  return true;
}

function writeSome(descriptor: number, bytes: Buffer, at: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    write(descriptor, bytes, at, (error, written) => {
      // A pipe that does not block says so when it is full.
      if (error?.code === 'EAGAIN') setTimeout(() => resolve(0), AGAIN);
      else resolve(error === null ? written : undefined);
    });
  });
}

/** Milliseconds until a full pipe is tried again. */
const AGAIN = 20;
