import { asList, asObject, asString, type Json, memberAt } from '../../json.ts';
import type { Asked, Seat } from '../asked.ts';
import type { Request } from '../message.ts';
import type { MessageSource, Sent } from '../transports/transport.ts';
import { listenTo, sendMessage } from '../transports/transports.ts';
import { SUBSCRIPTION } from './meta.ts';

/** A subscription at a server with sessions: its stream, and the resources that are to be told of. */
export async function listenInSession(asked: Asked, seat: Seat, request: Request): Promise<Sent> {
  const wanted = asObject(request.params?.['notifications']) ?? {};
  const agreed = await agreedOn(asked, seat, wanted);
  const opened = await listenTo(asked, seat, undefined);
  // A server that never says anything by itself keeps to what it agreed to.
  if (opened.kind === 'refuses' && opened.answer.status === 405) {
    opened.answer.body?.cancel();
    return { kind: 'speaks', messages: acknowledged(request, {}, undefined), sessionId: undefined };
  }
  if (opened.kind !== 'speaks') return opened;
  return { kind: 'speaks', messages: acknowledged(request, agreed, opened.messages), sessionId: undefined };
}

async function agreedOn(asked: Asked, seat: Seat, wanted: Json): Promise<Json> {
  const can = (...path: readonly string[]): boolean => memberAt(seat.capabilities, path) === true;
  const uris = can('resources', 'subscribe') ? asList(wanted['resourceSubscriptions']).map(asString) : [];
  const subscribed = await Promise.all(uris.map((uri) => subscribe(asked, seat, uri)));
  const agreed = uris.filter((_, at) => subscribed[at]);
  return {
    ...(wanted['toolsListChanged'] === true && can('tools', 'listChanged') && { toolsListChanged: true }),
    ...(wanted['promptsListChanged'] === true && can('prompts', 'listChanged') && { promptsListChanged: true }),
    ...(wanted['resourcesListChanged'] === true && can('resources', 'listChanged') && { resourcesListChanged: true }),
    ...(agreed.length > 0 && { resourceSubscriptions: agreed }),
  };
}

async function subscribe(asked: Asked, seat: Seat, uri: string | undefined): Promise<boolean> {
  if (uri === undefined) return false;
  const params = { uri };
  const sent = await sendMessage(asked, seat, { kind: 'request', id: uri, method: 'resources/subscribe', params });
  if (sent.kind === 'refuses') sent.answer.body?.cancel();
  if (sent.kind !== 'speaks') return false;
  const arrived = await sent.messages.next();
  sent.messages.cancel();
  return arrived?.message?.kind === 'response' && 'result' in arrived.message.outcome;
}

/** The messages of a subscription: first what was agreed on, then what the server says, or nothing more. */
function acknowledged({ id }: Request, agreed: Json, rest: MessageSource | undefined): MessageSource {
  const params = { notifications: agreed, _meta: { [SUBSCRIPTION]: id } };
  const message = { kind: 'notification', method: 'notifications/subscriptions/acknowledged', params } as const;
  let isTold = false;
  return {
    next: () => {
      if (isTold) return rest?.next() ?? Promise.resolve(undefined);
      isTold = true;
      return Promise.resolve({ message, eventId: undefined });
    },
    cancel: () => rest?.cancel(),
  };
}
