import type { ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import path from 'node:path';

/** From the bundle that `npm ci` made, while the sources are as they were then: it starts with half the work. */
export const MAIN = path.join(import.meta.dirname, '../../../bin/refproxy.mjs');

/** The words behind `node` that start it as its manifest does: with megabytes for what is new, a quarter less work until it is ready. */
export const PROGRAM: readonly string[] = ['--min-semi-space-size=32', '--max-semi-space-size=32', MAIN];

/** The program itself, started by a test. */
export interface Process {
  readonly child: ChildProcess;
  /** Resolves when the text has appeared on stderr; rejects when the process ended without it. */
  readonly says: (text: RegExp) => Promise<void>;
  readonly exit: Promise<number | null>;
}

export function follow(child: ChildProcess): Process {
  let seen = '';
  let ended = false;
  const waiting = new Set<() => void>();
  const tell = (): void => {
    for (const check of waiting) check();
  };
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    seen += text;
    tell();
  });
  const exit = new Promise<number | null>((resolve) => {
    child.on('close', (code) => {
      ended = true;
      tell();
      resolve(code);
    });
  });
  const says = (text: RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (text.test(seen)) resolve();
        else if (ended) reject(new Error(`never said ${text}: ${seen}`));
        else return;
        waiting.delete(check);
      };
      waiting.add(check);
      check();
    });
  return { child, says, exit };
}

/** JSON documents are YAML documents too. */
export function documents(resources: readonly object[]): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items: resources });
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const port = portOf(server);
      server.close(() => {
        resolve(port);
      });
    });
  });
}

export function portOf(server: ReturnType<typeof createServer>): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
