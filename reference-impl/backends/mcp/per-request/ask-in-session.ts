import { Cancellation } from '../../../base/cancellation.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import type { Asked, Seat } from '../asked.ts';
import type { Request } from '../message.ts';
import type { Arrived, MessageSource, Sent } from '../transports/transport.ts';
import { sendMessage } from '../transports/transports.ts';
import { conversation } from './conversation.ts';
import { errorAsMessage } from './error-as-message.ts';
import { withMeta } from './meta.ts';

/**
 * Asks a server without sessions for a client that has one: the client may cancel the request by a notification, and what the server
 * wants to know before it answers the client is asked.
 */
export async function askInSession(asked: Asked, seat: Seat, request: Request): Promise<Sent> {
  const { exchange, memory } = asked;
  // Ends with the client, or before it.
  const cancellation = new Cancellation();
  const forgetClient = exchange.cancellation.onCancel((reason) => {
    cancellation.cancel(reason);
  });
  const forget = memory?.begin(seat.target.name, request.id, cancellation);
  const over = (): void => {
    forgetClient();
    forget?.();
  };
  const isCancelled = (): boolean => cancellation.reason !== undefined && exchange.cancellation.reason === undefined;
  const own: Asked = { ...asked, exchange: { ...exchange, cancellation } };
  const post = async (each: Request): Promise<Sent> =>
    // A status is not for this client: 404 says that its session is over.
    errorAsMessage(await sendMessage(own, seat, withMeta(each, memory)), each);
  try {
    const sent = await post(request);
    if (sent.kind !== 'speaks') {
      over();
      return sent;
    }
    const messages = conversation(own, { request, post }, sent.messages);
    return { ...sent, messages: sourceOf(messages, { over, isCancelled, cancellation }) };
  } catch (error) {
    over();
    if (!isCancelled()) throw error;
    return { kind: 'speaks', messages: NOTHING, sessionId: undefined };
  }
}

interface Ending {
  readonly over: () => void;
  readonly isCancelled: () => boolean;
  readonly cancellation: Cancellation;
}

/** A client that no longer wants an answer gets none. */
function sourceOf(messages: AsyncGenerator<Arrived, void>, { over, isCancelled, cancellation }: Ending): MessageSource {
  return {
    next: async () => {
      try {
        const step = await messages.next();
        if (step.done !== true) return step.value;
      } catch (error) {
        if (!isCancelled()) {
          over();
          throw error;
        }
      }
      over();
      return undefined;
    },
    cancel: () => {
      over();
      cancellation.cancel(new ProxyError('clientGone'));
    },
  };
}

const NOTHING: MessageSource = { next: () => Promise.resolve(undefined), cancel: () => {} };
