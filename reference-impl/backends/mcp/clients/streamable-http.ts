import { Buffer } from 'node:buffer';
import { readBody } from '../../../base/read-body.ts';
import { HeaderMap } from '../../../base/headers.ts';
import { bodyLimit } from '../../../exchange/buffer-limit.ts';
import type { Answer, Request as HttpRequest } from '../../../exchange/exchange.ts';
import type { Asked } from '../asked.ts';
import { endSeats } from '../end-seats.ts';
import { listen } from '../listen.ts';
import { type Message, type Parsed, parseMessage } from '../message.ts';
import { fieldProblem } from '../mirrored-fields.ts';
import { type RefusalCode, refuseMcp } from '../refusals.ts';
import { endSession } from '../session.ts';
import { checkVersion, saysPerRequest } from '../versions.ts';
import { answerMessage, sessionOf } from './answer-message.ts';
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
  return checkVersion(asked, message) ?? checkFields(asked, message) ?? answerMessage({ ...asked, message }, message);
}

/** Who sends the fields must mean what they say, whatever the revision. */
function checkFields({ exchange }: Asked, message: Message): Answer | undefined {
  const problem = fieldProblem(exchange.request.headers, message, false);
  const id = message.kind === 'request' ? message.id : undefined;
  return problem && refuseMcp(problem.code, { id, detail: problem.detail });
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
