import type { Asked, Seat } from '../asked.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import { asString } from '../../json.ts';
import type { Message, Notification, Outcome, Request } from '../message.ts';
import { knownMessages, type Sent } from '../transports/transport.ts';
import { askInSession } from './ask-in-session.ts';
import type { SessionMemory } from './session-memory.ts';

/** Tells a server without sessions what a client says in its session. */
export async function sendForSession(asked: Asked, seat: Seat, message: Message): Promise<Sent> {
  const { memory } = asked;
  const { name } = seat.target;
  if (message.kind === 'request')
    return ANSWERED[message.method]?.(message, name, memory) ?? askInSession(asked, seat, message);
  // What such a client tells is about its session, and what it answers was asked here.
  if (message.kind === 'response') memory?.answer(message.id, message.outcome);
  else if (message.method === 'notifications/cancelled') cancelAt(name, message, memory);
  return { kind: 'accepted' };
}

type Answered = (request: Request, target: string, memory: SessionMemory | undefined) => Promise<Sent> | Sent;

/** Methods the revision has not; what they are for is done otherwise, or not at all. */
const ANSWERED: Readonly<Partial<Record<string, Answered>>> = {
  ping: done,
  'logging/setLevel': done,
  'resources/subscribe': (request, target, memory) =>
    subscribe(request, target, memory, (uris, uri) => [...uris.filter((each) => each !== uri), uri]),
  'resources/unsubscribe': (request, target, memory) =>
    subscribe(request, target, memory, (uris, uri) => uris.filter((each) => each !== uri)),
};

function done(request: Request): Sent {
  return responds(request, { result: {} });
}

/** The stream of the session is a subscription, which names other resources from now on. */
async function subscribe(
  request: Request,
  target: string,
  memory: SessionMemory | undefined,
  changed: (uris: readonly string[], uri: string) => readonly string[],
): Promise<Sent> {
  const uri = asString(request.params?.['uri']);
  if (memory === undefined || uri === undefined)
    return responds(request, { error: { code: -32_601, message: `no session to ${request.method} in` } });
  if (await memory.listenTo(target, changed(memory.resourcesOf(target), uri))) return done(request);
  return responds(request, { error: { code: -32_603, message: 'too many subscriptions in one session' } });
}

function responds({ id }: Request, outcome: Outcome): Sent {
  return { kind: 'speaks', messages: knownMessages([{ kind: 'response', id, outcome }]), sessionId: undefined };
}

/** A server without sessions hears it when the connection of the request is closed. */
function cancelAt(target: string, { params }: Notification, memory: SessionMemory | undefined): void {
  const id = params?.['requestId'];
  if (typeof id !== 'string' && typeof id !== 'number') return;
  memory?.underWay(target, id)?.cancel(new ProxyError('clientGone'));
}

/** The level a client of a session asks for, which a server without sessions wants to hear with every request. */
export function levelIn({ method, params }: Request): string | undefined {
  return method === 'logging/setLevel' ? asString(params?.['level']) : undefined;
}
