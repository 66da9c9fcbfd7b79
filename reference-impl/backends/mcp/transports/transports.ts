import { ProxyError } from '../../../base/proxy-error.ts';
import type { Asked, Seat } from '../asked.ts';
import type { Message } from '../message.ts';
import { deleteSession, openStream, postMessage } from './streamable-http.ts';
import type { Sent } from './transport.ts';

/** Sends a message to a target. Rejects only when the client is gone or its time is over. */
export function sendMessage(asked: Asked, seat: Seat, message: Message): Promise<Sent> {
  if (seat.endpoint === undefined) return Promise.resolve(ABSENT);
  return seat.link === undefined ? postMessage(asked, seat, message) : seat.link.send(asked, seat, message);
}

/** MCP-008: who was skipped when the session began takes no part in it. */
const ABSENT: Sent = {
  kind: 'fails',
  failure: new ProxyError('upstreamCallFailed', 'the MCP server was skipped when the session began'),
};

/** The messages of a target that answer nothing; `after` is the event of it that the client saw last. */
export function listenTo(asked: Asked, seat: Seat, after: string | undefined): Promise<Sent> {
  if (seat.link === undefined) return openStream(asked, seat, after);
  return Promise.resolve({ kind: 'speaks', messages: seat.link.listen(), sessionId: undefined });
}

/** Ends the session at a target. */
export function endAt(asked: Asked, seat: Seat): Promise<void> {
  seat.link?.close();
  return deleteSession(asked, seat);
}
