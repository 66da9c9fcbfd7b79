import type { Answer } from '../../../exchange/exchange.ts';
import type { Asked } from '../asked.ts';
import { guardCall } from '../guards/guard-call.ts';
import { initialize } from '../initialize.ts';
import type { Message, Notification, Request } from '../message.ts';
import { levelIn } from '../per-request/for-session-client.ts';
import { type RefusalCode, refuseMcp } from '../refusals.ts';
import { relayNotification, relayReply } from '../relay-notification.ts';
import { routeRequest } from '../route-request.ts';
import { findSession, type Session } from '../session.ts';
import { whileVisiting } from '../visit.ts';

/** What a client of a revision with sessions says, whichever way it came. */
export function answerMessage(asked: Asked, message: Message): Promise<Answer> | Answer {
  if (message.kind === 'request' && message.method === 'initialize') return guardCall(asked, message, initialize);
  if (!asked.mcp.stateful) return whileVisiting(asked, (visiting, session) => relay(visiting, session, message));
  const session = sessionOf(asked, 'sessionHeaderMissing', false);
  if (typeof session === 'string') return refuseMcp(session);
  return relay({ ...asked, memory: session.memory }, session, message);
}

/** GUARDMCP-001: what a client asks for or tells goes past the guards; what it answers has no method. */
function relay(asked: Asked, session: Session, message: Message): Promise<Answer> | Answer {
  if (message.kind === 'response') return relayReply(asked, session, message);
  return guardCall<Request | Notification>(asked, message, (guarded, call) =>
    call.kind === 'request' ? ask(guarded, session, call) : relayNotification(guarded, session, call),
  );
}

function ask(asked: Asked, session: Session, request: Request): Promise<Answer> | Answer {
  const level = levelIn(request);
  // From now on servers without sessions are told it with every request.
  if (level !== undefined && session.memory !== undefined) session.memory.logLevel = level;
  return routeRequest(asked, session, request);
}

/** The session a request names, or why there is none. */
export function sessionOf(asked: Asked, missing: RefusalCode, remembered: boolean): Session | RefusalCode {
  const id = asked.exchange.request.headers.get('mcp-session-id');
  asked.notes.noteSession(id);
  return id === undefined ? missing : findSession(asked, id, remembered);
}
