import type { Answer } from '../../../exchange/exchange.ts';
import type { ProxyError } from '../../../base/proxy-error.ts';
import type { Json } from '../../json.ts';
import type { Message } from '../message.ts';

/** What becomes of a message that was sent to a target. */
export type Sent =
  /** The target took it and has nothing to say about it. */
  | { readonly kind: 'accepted' }
  | { readonly kind: 'speaks'; readonly messages: MessageSource; readonly sessionId: string | undefined }
  /** The target refuses by HTTP; clients are given its own words. */
  | {
      readonly kind: 'refuses';
      readonly answer: Answer;
      /** What it says in JSON-RPC, where it was looked at. */
      readonly error?: Json | undefined;
    }
  | { readonly kind: 'fails'; readonly failure: ProxyError };

/** The messages of a target, in their order. */
export interface MessageSource {
  /** Undefined at the end. Rejects with a ProxyError when the target breaks off or says what is no message. */
  readonly next: () => Promise<Arrived | undefined>;
  /** Nobody reads on. */
  readonly cancel: () => void;
}

export interface Arrived {
  /** Undefined for an event that only says where a client may go on. */
  readonly message: Message | undefined;
  readonly eventId: string | undefined;
  /** Milliseconds a client should wait before it comes back. */
  readonly retry?: number | undefined;
}

/** A source that has these messages. */
export function knownMessages(messages: readonly Message[]): MessageSource {
  const left = [...messages];
  return {
    next: () => {
      const message = left.shift();
      return Promise.resolve(message && { message, eventId: undefined });
    },
    cancel: () => {
      left.length = 0;
    },
  };
}
