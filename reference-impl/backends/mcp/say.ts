import type { Asked, Seat } from './asked.ts';
import type { Message } from './message.ts';
import type { Sent } from './transports/transport.ts';
import { sendMessage } from './transports/transports.ts';

/** Tells a target something, after an introduction where clients have no sessions. Rejects only when the client is gone. */
export async function say(asked: Asked, seat: Seat, message: Message): Promise<Sent> {
  if (asked.visit === undefined) return sendMessage(asked, seat, message);
  const taken = await asked.visit.seatAt(asked, seat.target);
  return 'target' in taken ? sendMessage(asked, taken, message) : taken;
}
