import type { Duplex } from 'node:stream';
import type { Body } from '../base/body.ts';
import type { Cancellation } from '../base/cancellation.ts';
import type { Answer } from '../exchange/exchange.ts';
import { relay } from '../upstream/relay.ts';

export interface Going {
  readonly cancellation: Cancellation;
  /** Gives what the client speaks with, when the client is there, where that is not the connection itself. */
  readonly spoken?: () => Duplex;
  /** Told what the upstream sends, before the client gets it. */
  readonly seen?: (bytes: Uint8Array) => void;
  /** Called when the connection has ended. */
  readonly over?: () => void;
}

/** The answer of an endpoint that goes on with another protocol on `upstream`: bytes pass as they are, in both directions. */
export function upgradedAnswer(answer: Answer, upstream: Duplex, going: Going): Answer {
  const { cancellation, spoken = () => upstream, seen = () => {}, over } = going;
  const ended = new Promise<void>((resolve) => {
    const end = (): void => {
      over?.();
      resolve();
    };
    if (upstream.closed) end();
    else upstream.once('close', end);
  });
  // Until somebody takes over, whoever gives the answer up gives up the connection.
  const stopListening = cancellation.onCancel(() => {
    upstream.destroy();
  });
  const body: Body = {
    read: async () => {
      await ended;
      return undefined;
    },
    cancel: () => {
      upstream.destroy();
    },
    length: undefined,
  };
  return {
    ...answer,
    body,
    takeOver: async (client, first) => {
      stopListening();
      await relay(client, first, spoken(), seen);
      upstream.destroy();
    },
  };
}
