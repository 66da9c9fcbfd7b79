import type { Answer } from '../../exchange/exchange.ts';
import { HeaderMap } from '../../base/headers.ts';
import type { Asked, Seat, Setback } from './asked.ts';
import { decisive, setbackAnswer } from './failures.ts';
import type { Message, Notification, Response } from './message.ts';
import { METHODS } from './multiplexing.ts';
import { refuseMcp } from './refusals.ts';
import { aboutOneRequest, answeredRequest } from './server-requests.ts';
import { say } from './say.ts';
import type { Session } from './session.ts';

/** A notification goes to every target, unless it is about what one of them asked. What has to be answered is none. */
export async function relayNotification(asked: Asked, { seats }: Session, said: Notification): Promise<Answer> {
  // MCP-033: a request without an id would go past the rules about what it asks for.
  if (Object.hasOwn(METHODS, said.method)) return refuseMcp('idMissing');
  const directed = aboutOneRequest(asked.mcp, said);
  if (directed === undefined) return sendToAll(asked, asked.visit === undefined ? seats.filter(isTaken) : seats, said);
  return sendToAll(
    asked,
    seats.filter(({ target }) => target.name === directed.target),
    directed.message,
  );
}

/** What a client answers goes to whoever asked. */
export async function relayReply(asked: Asked, { seats }: Session, reply: Response): Promise<Answer> {
  const asker = answeredRequest(asked.mcp, reply.id);
  if (asker !== undefined) {
    return sendToAll(
      asked,
      seats.filter(({ target }) => target.name === asker.target),
      { ...reply, id: asker.id },
    );
  }
  if (seats.length === 1) return sendToAll(asked, seats, reply);
  const detail = `invalid request: no upstream registered for server-initiated request id ${JSON.stringify(reply.id)}`;
  return refuseMcp('sendFailed', { detail });
}

function isTaken({ endpoint }: Seat): boolean {
  return endpoint !== undefined;
}

async function sendToAll(asked: Asked, seats: readonly Seat[], message: Message): Promise<Answer> {
  const sent = await Promise.all(seats.map((seat) => say(asked, seat, message)));
  const setbacks: Setback[] = [];
  for (const each of sent) {
    if (each.kind === 'speaks') each.messages.cancel();
    else if (each.kind !== 'accepted') setbacks.push(each);
  }
  const deciding = decisive(setbacks, sent.length - setbacks.length, asked.mcp.failOpen);
  return deciding === undefined ? ACCEPTED() : setbackAnswer(asked, deciding, undefined);
}

function ACCEPTED(): Answer {
  return { status: 202, headers: HeaderMap.EMPTY, body: undefined, from: 'policy' };
}
