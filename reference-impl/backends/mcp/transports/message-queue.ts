import type { Message } from '../message.ts';
import type { Arrived, MessageSource } from './transport.ts';

/** Messages that wait for their reader; of more than that the oldest are forgotten. */
const MOST_WAITING = 1024;

/** Messages that are pushed as they come and pulled as they are wanted. */
export class MessageQueue implements MessageSource {
  readonly #onOver: () => void;
  #messages: Message[] = [];
  #ended = false;
  #failure: Error | undefined;
  #reader: { resolve: (arrived: Arrived | undefined) => void; reject: (reason: Error) => void } | undefined;

  /** `onOver` is called when nobody reads any more. */
  constructor(onOver: () => void) {
    this.#onOver = onOver;
  }

  readonly next = (): Promise<Arrived | undefined> => {
    const message = this.#messages.shift();
    if (message !== undefined) return Promise.resolve({ message, eventId: undefined });
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#ended) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  };

  readonly cancel = (): void => {
    this.#messages = [];
    this.end();
  };

  push(message: Message): void {
    const reader = this.#take();
    if (reader !== undefined) reader.resolve({ message, eventId: undefined });
    else if (!this.#ended) this.#messages = [...this.#messages.slice(1 - MOST_WAITING), message];
  }

  end(): void {
    this.#ended = true;
    this.#take()?.resolve(undefined);
    this.#onOver();
  }

  fail(failure: Error): void {
    if (this.#ended) return;
    this.#failure = failure;
    this.#ended = true;
    this.#take()?.reject(failure);
    this.#onOver();
  }

  #take(): { resolve: (arrived: Arrived | undefined) => void; reject: (reason: Error) => void } | undefined {
    const reader = this.#reader;
    this.#reader = undefined;
    return reader;
  }
}
