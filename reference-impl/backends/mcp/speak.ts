import type { Asked, Seat } from './asked.ts';
import type { Message } from './message.ts';
import { sendForSession } from './per-request/for-session-client.ts';
import { sendInSession } from './per-request/in-session.ts';
import type { Sent } from './transports/transport.ts';
import { sendMessage } from './transports/transports.ts';
import { isPerRequest } from './versions.ts';

/** Tells a target something in the kind of revision it speaks, whatever the client does. Rejects only when the client is gone. */
export function speak(asked: Asked, seat: Seat, message: Message): Promise<Sent> {
  if (isPerRequest(seat) === (asked.perRequest === true)) return sendMessage(asked, seat, message);
  return isPerRequest(seat) ? sendForSession(asked, seat, message) : sendInSession(asked, seat, message);
}
