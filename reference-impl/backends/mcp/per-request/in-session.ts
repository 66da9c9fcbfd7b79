import type { Asked, Seat } from '../asked.ts';
import type { Message } from '../message.ts';
import type { Sent } from '../transports/transport.ts';
import { sendMessage } from '../transports/transports.ts';
import { withoutMeta } from './meta.ts';
import { listenInSession } from './listen-in-session.ts';

/** Tells a server with sessions, in one that was begun for it, what a client without one says. */
export function sendInSession(asked: Asked, seat: Seat, message: Message): Promise<Sent> {
  // Its notifications are about requests of its own, which the session of this one knows nothing of.
  if (message.kind === 'notification') return Promise.resolve({ kind: 'accepted' });
  if (message.kind === 'response') return sendMessage(asked, seat, message);
  if (message.method === 'subscriptions/listen') return listenInSession(asked, seat, message);
  return sendMessage(asked, seat, withoutMeta(message));
}
