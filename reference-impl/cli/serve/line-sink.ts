import { Buffer } from 'node:buffer';
import { write as writeToFile } from 'node:fs';
import type { Clock } from '../../base/clock.ts';

/** Takes lines and writes them in the background. */
export interface LineSink {
  /** Returns at once. A line beyond the bound is dropped and counted. */
  readonly write: (line: string) => void;
  /** Resolves when what was taken is written, or cannot be. */
  readonly flush: () => Promise<void>;
}

/** What of the system is needed. */
interface Means {
  readonly clock: Clock;
  readonly write: (
    descriptor: number,
    bytes: Buffer,
    at: number,
    done: (error: NodeJS.ErrnoException | null, written: number) => void,
  ) => void;
}

/** Milliseconds a line waits for others: a write costs as much as a tenth of a request. */
const DELAY = 20;
/** Characters that wait for whoever reads the file descriptor. */
const MOST_WAITING = 8 * 1024 * 1024;
/** Bytes of one write, as many as a pipe holds. */
const PAGE = 64 * 1024;

/** Lines as bytes, for one write. */
interface Page {
  readonly bytes: Buffer;
  used: number;
  lines: number;
}

/**
 * Lines to a file descriptor, those of a short while in few writes. Whoever reads a pipe slowly, or not at all, costs lines and
 * no request, since a write to it blocks a thread of its own and never the proxy. A line becomes bytes at once: text that is kept
 * for a while costs more than its bytes do.
 */
export function createLineSink(
  descriptor: number,
  onDrop: (count: number) => void,
  { clock, write = writeToFile }: Pick<Means, 'clock'> & Partial<Means>,
): LineSink {
  const means = { clock, write };
  let pages: Page[] = [];
  /** Written, and used again. */
  let spare: Buffer | undefined;
  let size = 0;
  let writing: Promise<void> | undefined;

  const writeAll = async (): Promise<void> => {
    while (pages.length > 0) {
      // Each time: what came during a write is little, and would be a write of its own again and again.
      await new Promise((resolve) => {
        clock.after(DELAY, () => resolve(undefined));
      });
      const full = pages;
      pages = [];
      size = 0;
      for (const page of full) {
        if (!(await writeFully(means, descriptor, page.bytes.subarray(0, page.used)))) onDrop(page.lines);
        if (page.bytes.length === PAGE) spare = page.bytes;
      }
    }
    writing = undefined;
  };

  /** One with room for that many characters. */
  const pageFor = (characters: number): Page => {
    const last = pages.at(-1);
    const most = characters * BYTES_PER_CHARACTER;
    if (last !== undefined && last.bytes.length - last.used >= most) return last;
    const bytes = (most <= PAGE ? spare : undefined) ?? Buffer.allocUnsafeSlow(Math.max(PAGE, most));
    if (bytes === spare) spare = undefined;
    const page = { bytes, used: 0, lines: 0 };
    pages.push(page);
    return page;
  };

  return {
    write: (line) => {
      if (size + line.length > MOST_WAITING) {
        onDrop(1);
        return;
      }
      const page = pageFor(line.length);
      page.used += page.bytes.write(line, page.used);
      page.lines += 1;
      size += line.length;
      writing ??= writeAll();
    },
    flush: () => writing ?? Promise.resolve(),
  };
}

/** At most, in UTF-8, of one unit of UTF-16. */
const BYTES_PER_CHARACTER = 3;

/** False when the bytes cannot be written: nobody is there any more. */
async function writeFully(means: Means, descriptor: number, bytes: Buffer): Promise<boolean> {
  for (let at = 0; at < bytes.length;) {
    const written = await writeSome(means, descriptor, bytes, at);
    if (written === undefined) return false;
    at += written;
  }
  return true;
}

function writeSome(
  { clock, write }: Means,
  descriptor: number,
  bytes: Buffer,
  at: number,
): Promise<number | undefined> {
  return new Promise((resolve) => {
    write(descriptor, bytes, at, (error, written) => {
      // A pipe that does not block says so when it is full.
      if (error?.code === 'EAGAIN') clock.after(AGAIN, () => resolve(0));
      else resolve(error === null ? written : undefined);
    });
  });
}

/** Milliseconds until a full pipe is tried again. */
const AGAIN = 20;
