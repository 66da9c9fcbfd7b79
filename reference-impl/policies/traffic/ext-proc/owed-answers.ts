import { ProxyError } from '../../../base/proxy-error.ts';
import type { ProcessingResponse } from '../../../upstream/wire/ext_proc_pb.js';
import type { Part } from './direction.ts';

interface Waiter {
  readonly resolve: (answer: ProcessingResponse) => void;
  readonly reject: (reason: ProxyError) => void;
  readonly stop: () => void;
}

/** Answers the processor owes, one per part that was sent to it. */
export class OwedAnswers {
  readonly #asked = new Set<Part>();
  readonly #early = new Map<Part, ProcessingResponse>();
  readonly #waiting = new Map<Part, Waiter>();

  /** The part was sent, so it may be answered. */
  ask(part: Part): void {
    this.#asked.add(part);
  }

  /** The part an answer is about. Throws when nothing of the kind was sent. */
  partOf({ response }: ProcessingResponse): Part {
    const part = response.case;
    if (part === undefined || part === 'immediateResponse' || !this.#asked.has(part)) throw unexpectedAnswer(part);
    return part;
  }

  /** Hands the answer to whoever waits for it, or keeps it until somebody does. Throws when it is the second one. */
  deliver(part: Part, answer: ProcessingResponse): void {
    const waiter = this.#waiting.get(part);
    if (waiter === undefined) {
      if (this.#early.has(part)) throw unexpectedAnswer(part);
      this.#early.set(part, answer);
      return;
    }
    this.#waiting.delete(part);
    waiter.stop();
    waiter.resolve(answer);
  }

  /** The answer that came before somebody waited for it. */
  takeEarly(part: Part): ProcessingResponse | undefined {
    const answer = this.#early.get(part);
    this.#early.delete(part);
    return answer;
  }

  /** Waits for the answer; `stop` runs when the wait is over. */
  wait(part: Part, stop: () => void): Promise<ProcessingResponse> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(part, { resolve, reject, stop });
    });
  }

  /** Nothing comes any more. */
  giveUp(reason: ProxyError): void {
    for (const { reject, stop } of this.#waiting.values()) {
      stop();
      reject(reason);
    }
    this.#waiting.clear();
  }
}

function unexpectedAnswer(part: string | undefined): ProxyError {
  return new ProxyError('extProcFailed', `unexpected answer to ${part ?? 'nothing'}`);
}
