import type { Asked, Seat } from '../asked.ts';
import type { Message, Request } from '../message.ts';
import type { MessageSource, Sent } from '../transports/transport.ts';
import { sendMessage } from '../transports/transports.ts';
import { withoutMeta } from './meta.ts';
import { listenInSession } from './listen-in-session.ts';

/** Tells a server with sessions, in one that was begun for it, what a client without one says. */
export function sendInSession(asked: Asked, seat: Seat, message: Message): Promise<Sent> {
  // Its notifications are about requests of its own, which the session of this one knows nothing of.
  if (message.kind === 'notification') return Promise.resolve({ kind: 'accepted' });
  if (message.kind === 'response') return sendMessage(asked, seat, message);
  if (message.method === 'subscriptions/listen') return listenInSession(asked, seat, message);
  return untilAnswered(asked, seat, message);
}

/** A client that is gone before the answer has cancelled its request; a server with sessions has to be told. */
async function untilAnswered(asked: Asked, seat: Seat, request: Request): Promise<Sent> {
  const forget = asked.visit?.begin(seat, request.id);
  const sent = await sendMessage(asked, seat, withoutMeta(request));
  if (sent.kind !== 'speaks') {
    forget?.();
    return sent;
  }
  const { next, cancel } = sent.messages;
  const messages: MessageSource = {
    next: async () => {
      const arrived = await next();
      if (arrived === undefined || arrived.message?.kind === 'response') forget?.();
      return arrived;
    },
    cancel,
  };
  return { ...sent, messages };
}
