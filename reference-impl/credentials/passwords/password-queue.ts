import { Worker } from 'node:worker_threads';
import { ProxyError } from '../../base/proxy-error.ts';
import type { Question, Verdict } from './password-worker.ts';

/** Verifies passwords on a thread of its own, one after the other. */
export interface PasswordQueue {
  /**
   * Whether the password is the one `stored` was made of. Rejects with processingFailed when too many are waiting, or when
   * the thread broke.
   */
  readonly verify: (password: string, stored: string) => Promise<boolean>;
}

/** The thread starts with the first password, and keeps the process alive only while somebody waits. */
export function createPasswordQueue(): PasswordQueue {
  /** Who waits for an answer, by the number of the question. */
  const waiting = new Map<number, Asker>();
  let lastId = 0;
  let worker: Worker | undefined;

  const take = (id: number): Asker | undefined => {
    const asker = waiting.get(id);
    waiting.delete(id);
    return asker;
  };

  /** Everybody who waits is told; the next password starts a new thread. */
  const giveUp = (broken: Worker, cause: unknown): void => {
    if (worker !== broken) return;
    worker = undefined;
    for (const id of waiting.keys()) {
      take(id)?.reject(new ProxyError('processingFailed', 'password verification', { cause }));
    }
  };

  const startWorker = (): Worker => {
    const started = new Worker(new URL(`./password-worker${EXTENSION}`, import.meta.url));
    started.on('message', ({ id, verified }: Verdict) => {
      take(id)?.resolve(verified);
      if (waiting.size === 0) started.unref();
    });
    started.on('error', (error) => {
      giveUp(started, error);
    });
    started.on('exit', () => {
      giveUp(started, undefined);
    });
    return started;
  };

  return {
    verify: (password, stored) => {
      if (waiting.size >= MOST_WAITING) {
        return Promise.reject(new ProxyError('processingFailed', 'too many passwords wait to be verified'));
      }
      const id = (lastId += 1);
      const { promise, resolve, reject } = Promise.withResolvers<boolean>();
      waiting.set(id, { resolve, reject });
      const question: Question = { id, password, stored };
      worker ??= startWorker();
      worker.ref();
      worker.postMessage(question, []);
      return promise;
    },
  };
}

const MOST_WAITING = 512;

interface Asker {
  readonly resolve: (verified: boolean) => void;
  readonly reject: (error: Error) => void;
}

/** `.ts` as written, `.js` in the published package. */
const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
