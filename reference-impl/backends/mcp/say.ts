import type { Asked, Seat } from './asked.ts';
import type { Message } from './message.ts';
import { prefersPerRequest } from './open-seat.ts';
import { wantsSession } from './per-request/denials.ts';
import { speak } from './speak.ts';
import type { Sent } from './transports/transport.ts';
import { isPerRequest } from './versions.ts';

/** Tells a target something, after an introduction where clients have no sessions. Rejects only when the client is gone. */
export async function say(asked: Asked, seat: Seat, message: Message): Promise<Sent> {
  const { visit } = asked;
  if (visit === undefined) return speak(asked, seat, message);
  // Nobody begins a session for what is about none.
  const isTold = asked.perRequest === true && message.kind === 'notification';
  if (isTold && !prefersPerRequest(asked, seat.target)) return { kind: 'accepted' };
  const taken = await visit.seatAt(asked, seat.target);
  if (!('target' in taken)) return taken;
  const sent = await speak(asked, taken, message);
  if (!isPerRequest(taken) || !wantsSession(sent)) return sent;
  if (isTold) return { kind: 'accepted' };
  // A server that refuses has done nothing, so the same may be said again in a session.
  const inSession = await visit.sessionAt(asked, seat.target);
  if (!('target' in inSession)) return sent;
  if (sent.kind === 'refuses') sent.answer.body?.cancel();
  return speak(asked, inSession, message);
}
