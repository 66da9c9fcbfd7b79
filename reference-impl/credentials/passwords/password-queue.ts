import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Cancellation } from '../../base/cancellation.ts';
import { ProxyError } from '../../base/proxy-error.ts';
import type { Question, Verdict } from './password-worker.ts';
import { Turns, type Place } from './turns.ts';

/** Verifies passwords on a few threads of its own. docs/decisions/client-credentials.md */
export interface PasswordQueue {
  /**
   * Whether the password is the one `stored` was made of. Rejects with processingFailed when too many of the same owner
   * are waiting and no other client of it has more of them, or when the thread broke, and with the reason of the cancellation.
   */
  readonly verify: (check: PasswordCheck) => Promise<boolean>;
}

export interface PasswordCheck extends Question {
  /** Owners take turns, and so do the clients of one: none of them can keep the threads from the others. */
  readonly place: Place;
  /** Takes the check out of the queue. What a thread has begun runs to its end. */
  readonly cancellation: Cancellation;
}

/** A thread starts when a password finds none idle, and keeps the process alive only while it hashes. */
export function createPasswordQueue(): PasswordQueue {
  const turns = new Turns<Waiting>(MOST_WAITING);
  const idle: Worker[] = [];
  /** What each thread hashes; undefined while it is idle. */
  const threads = new Map<Worker, Waiting | undefined>();

  const handOut = (): void => {
    while (idle.length > 0 || threads.size < MOST_THREADS) {
      const next = turns.take();
      if (next === undefined) return;
      const thread = idle.pop() ?? startThread();
      threads.set(thread, next);
      thread.ref();
      thread.postMessage(next.question, []);
    }
  };

  const startThread = (): Worker => {
    const thread = new Worker(new URL(`./password-worker${EXTENSION}`, import.meta.url));
    thread.on('message', ({ verified }: Verdict) => {
      threads.get(thread)?.resolve(verified);
      threads.set(thread, undefined);
      thread.unref();
      idle.push(thread);
      handOut();
    });
    thread.on('error', (cause) => {
      giveUp(thread, cause);
    });
    thread.on('exit', () => {
      giveUp(thread, undefined);
    });
    return thread;
  };

  /** Who waits for this thread is told; whoever is next gets a new one. */
  const giveUp = (broken: Worker, cause: unknown): void => {
    if (!threads.has(broken)) return;
    threads.get(broken)?.reject(new ProxyError('processingFailed', 'password verification', { cause }));
    threads.delete(broken);
    if (idle.includes(broken)) idle.splice(idle.indexOf(broken), 1);
    handOut();
  };

  return {
    verify: async ({ password, stored, place, cancellation }) => {
      const { promise, resolve, reject } = Promise.withResolvers<boolean>();
      const waiting: Waiting = { question: { password, stored }, resolve, reject };
      turns.add(place, waiting)?.reject(new ProxyError('processingFailed', 'too many passwords wait to be verified'));
      const release = cancellation.onCancel((reason) => {
        turns.remove(place, waiting);
        reject(reason);
      });
      handOut();
      try {
        return await promise;
      } finally {
        release();
      }
    },
  };
}

/** Passwords of one owner; at cost 12 two threads are done with them in about 20 seconds. */
const MOST_WAITING = 128;

const MOST_THREADS = Math.min(4, availableParallelism());

interface Waiting {
  readonly question: Question;
  readonly resolve: (verified: boolean) => void;
  readonly reject: (error: Error) => void;
}

/** `.ts` as written, `.js` in the published package. */
const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
