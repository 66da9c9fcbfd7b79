import { Buffer } from 'node:buffer';
import { readBody } from '../../../base/read-body.ts';
import { HeaderMap } from '../../../base/headers.ts';
import { bodyLimit } from '../../../exchange/buffer-limit.ts';
import type { Answer, Request as HttpRequest } from '../../../exchange/exchange.ts';
import type { Asked } from '../asked.ts';
import { endSeats } from '../end-seats.ts';
import { guardCall } from '../guards/guard-call.ts';
import { initialize } from '../initialize.ts';
import { listen } from '../listen.ts';
import { type Message, type Notification, type Parsed, parseMessage, type Request } from '../message.ts';
import { fieldProblem } from '../mirrored-fields.ts';
import { type RefusalCode, refuseMcp } from '../refusals.ts';
import { relayNotification, relayReply } from '../relay-notification.ts';
import { routeRequest } from '../route-request.ts';
import { levelIn } from '../per-request/for-session-client.ts';
import { endSession, findSession, rememberLevel, type Session } from '../session.ts';
import { checkVersion, saysPerRequest } from '../versions.ts';
import { whileVisiting } from '../visit.ts';
import { answerPerRequest } from './per-request.ts';

/** A client that speaks streamable HTTP: a message per POST, a stream by GET, the end of its session by DELETE. */
export function answerStreamableHttp(asked: Asked): Promise<Answer> | Answer {
  const { method } = asked.exchange.request;
  if (method === 'POST') return takeMessage(asked);
  if (method === 'GET' && asked.mcp.stateful) return openStream(asked);
  if (method === 'DELETE' && asked.mcp.stateful) return endAsked(asked);
  return refuseMcp('methodNotAllowed');
}

async function takeMessage(asked: Asked): Promise<Answer> {
  const refused = unacceptable(asked.exchange.request);
  if (refused !== undefined) return refuseMcp(refused);
  const parsed = await readMessage(asked);
  if (!parsed.ok) return refuseMcp('unreadable', { detail: parsed.why });
  const { message } = parsed;
  asked.notes.note(message);
  if (saysPerRequest(asked.exchange.request)) return answerPerRequest(asked, message);
  return checkVersion(asked, message) ?? checkFields(asked, message) ?? handle({ ...asked, message }, message);
}

/** Who sends the fields must mean what they say, whatever the revision. */
function checkFields({ exchange }: Asked, message: Message): Answer | undefined {
  const problem = fieldProblem(exchange.request.headers, message, false);
  const id = message.kind === 'request' ? message.id : undefined;
  return problem && refuseMcp(problem.code, { id, detail: problem.detail });
}

function handle(asked: Asked, message: Message): Promise<Answer> | Answer {
  if (message.kind === 'request' && message.method === 'initialize') return guardCall(asked, message, initialize);
  if (!asked.mcp.stateful) return whileVisiting(asked, (visiting, session) => relay(visiting, session, message));
  const session = sessionOf(asked, 'sessionHeaderMissing', false);
  if (typeof session === 'string') return refuseMcp(session);
  return relay({ ...asked, logLevel: session.logLevel }, session, message);
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
  if (level !== undefined) rememberLevel(asked, session, level);
  return routeRequest(asked, session, request);
}

/** Fields are searched for the words as they are; clients list both types by name. */
function unacceptable({ headers }: HttpRequest): RefusalCode | undefined {
  const accept = headers.getAll('accept').join(',');
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) return 'postNotAccepted';
  if (headers.get('content-type')?.startsWith('application/json') !== true) return 'notJson';
  return (headers.get('content-encoding') ?? 'identity') === 'identity' ? undefined : 'encoded';
}

async function readMessage({ exchange }: Asked): Promise<Parsed> {
  const { bytes, overflow } = await readBody(exchange.request.body, bodyLimit(exchange, 'request'));
  if (overflow) return { ok: false, why: 'length limit exceeded' };
  return parseMessage(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
}

/** The session a request names, or why there is none. */
function sessionOf(asked: Asked, missing: RefusalCode, remembered: boolean): Session | RefusalCode {
  const id = asked.exchange.request.headers.get('mcp-session-id');
  asked.notes.noteSession(id);
  return id === undefined ? missing : findSession(asked, id, remembered);
}

function openStream(asked: Asked): Promise<Answer> | Answer {
  const accept = asked.exchange.request.headers.getAll('accept').join(',');
  if (!accept.includes('text/event-stream')) return refuseMcp('streamNotAccepted');
  const refused = checkVersion(asked, undefined);
  if (refused !== undefined) return refused;
  const session = sessionOf(asked, 'sessionIdMissing', true);
  return typeof session === 'string' ? refuseMcp(session) : listen(asked, session);
}

function endAsked(asked: Asked): Answer {
  const refused = checkVersion(asked, undefined);
  if (refused !== undefined) return refused;
  const session = sessionOf(asked, 'sessionIdMissing', false);
  if (session === 'sessionIdMissing') return refuseMcp(session);
  if (typeof session !== 'string' && session.id !== undefined) {
    endSession(asked, session.id);
    endSeats(asked, session.seats);
  }
  // Whoever ends what is not there has what was wanted.
  return { status: 202, headers: HeaderMap.EMPTY, body: undefined, from: 'policy' };
}
