import { asString } from '../../json.ts';
import type { Asked, Seat } from '../asked.ts';
import type { Message, Request } from '../message.ts';
import { knownMessages, type Sent } from '../transports/transport.ts';
import { sendMessage } from '../transports/transports.ts';
import { errorAsMessage } from './error-as-message.ts';
import { withMeta } from './meta.ts';

/** Tells a server without sessions what a client says in its session. */
export async function sendForSession(asked: Asked, seat: Seat, message: Message): Promise<Sent> {
  // What such a client tells is about its session, and nobody there has asked it anything.
  if (message.kind !== 'request') return { kind: 'accepted' };
  const answer = ANSWERED[message.method];
  if (answer !== undefined) return answer(message);
  // A status is not for this client: 404 says that its session is over.
  return errorAsMessage(await sendMessage(asked, seat, withMeta(message, asked.logLevel)), message);
}

type Answered = (request: Request) => Sent;

/** Methods the revision has not; what they are for is done otherwise, or not at all. */
const ANSWERED: Readonly<Partial<Record<string, Answered>>> = {
  ping: done,
  'logging/setLevel': done,
  'resources/subscribe': unknown,
  'resources/unsubscribe': unknown,
};

function done({ id }: Request): Sent {
  const response = { kind: 'response', id, outcome: { result: {} } } as const;
  return { kind: 'speaks', messages: knownMessages([response]), sessionId: undefined };
}

function unknown({ id, method }: Request): Sent {
  const error = { code: -32_601, message: `the server has no sessions, and no method ${method}` };
  const response = { kind: 'response', id, outcome: { error } } as const;
  return { kind: 'speaks', messages: knownMessages([response]), sessionId: undefined };
}

/** The level a client of a session asks for, which a server without sessions wants to hear with every request. */
export function levelIn({ method, params }: Request): string | undefined {
  return method === 'logging/setLevel' ? asString(params?.['level']) : undefined;
}
