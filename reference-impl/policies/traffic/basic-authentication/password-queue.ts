import { Worker } from 'node:worker_threads';
import { ProxyError } from '../../../base/proxy-error.ts';
import type { Question, Verdict } from './password-worker.ts';

/**
 * Whether the password is the one `stored` was made of, found out on a thread of its own. Rejects with
 * processingFailed when too many are waiting, or when the thread broke.
 */
export function verifyInTurn(password: string, stored: string): Promise<boolean> {
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
}

const MOST_WAITING = 512;

interface Asker {
  readonly resolve: (verified: boolean) => void;
  readonly reject: (error: Error) => void;
}

/** Who waits for an answer, by the number of the question. */
const waiting = new Map<number, Asker>();
let lastId = 0;
/** Started with the first password. It keeps the process alive only while somebody waits. */
let worker: Worker | undefined;

function startWorker(): Worker {
  const started = new Worker(new URL(`./password-worker${EXTENSION}`, import.meta.url));
  started.on('message', ({ id, verified }: Verdict) => {
    take(id)?.resolve(verified);
    if (waiting.size === 0) started.unref();
  });
  started.on('error', (error) => {
    broken(started, error);
  });
  started.on('exit', () => {
    broken(started, undefined);
  });
  return started;
}

/** `.ts` as written, `.js` in the published package. */
const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

/** Everybody who waits is told; the next password starts a new thread. */
function broken(started: Worker, cause: unknown): void {
  if (worker !== started) return;
  worker = undefined;
  for (const id of waiting.keys()) {
    take(id)?.reject(new ProxyError('processingFailed', 'password verification', { cause }));
  }
}

function take(id: number): Asker | undefined {
  const asker = waiting.get(id);
  waiting.delete(id);
  return asker;
}
