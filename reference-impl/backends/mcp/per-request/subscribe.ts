import type { Answer } from '../../../exchange/exchange.ts';
import { asList, asObject, asString, isJson, type Json } from '../../json.ts';
import type { Asked, Seat, Setback } from '../asked.ts';
import { mayUse } from '../authorization.ts';
import { type EventSink, eventStreamAnswer } from '../event-stream.ts';
import { decisive, setbackAnswer } from '../failures.ts';
import { hasRules } from '../authorization.ts';
import type { Id, Notification, Request } from '../message.ts';
import { meantBy, outwardName } from '../names.ts';
import { say } from '../say.ts';
import type { Session } from '../session.ts';
import type { MessageSource } from '../transports/transport.ts';
import { SUBSCRIPTION } from './meta.ts';

/** One stream of what all targets say by themselves, as far as the client asked for it; first comes what they agreed to. */
export async function subscribe(asked: Asked, { seats }: Session, request: Request): Promise<Answer> {
  const wanted = asObject(request.params?.['notifications']) ?? {};
  const opened = await Promise.all(
    seats.map(async (seat) => {
      const notifications = wantedOf(asked, seat, wanted);
      return { seat, sent: await say(asked, seat, { ...request, params: { ...request.params, notifications } }) };
    }),
  );
  const open = opened.flatMap(({ seat, sent }) => (sent.kind === 'speaks' ? [{ seat, source: sent.messages }] : []));
  const setbacks = opened.flatMap(({ sent }): Setback[] => (sent.kind === 'speaks' ? [] : [sent]));
  const deciding = decisive(setbacks, open.length, asked.mcp.failOpen);
  if (deciding === undefined) return eventStreamAnswer((sink) => pass(asked, open, request.id, sink));
  for (const { source } of open) source.cancel();
  return setbackAnswer(asked, deciding, request.id);
}

interface Open {
  readonly seat: Seat;
  readonly source: MessageSource;
}

/** What is to be asked of one target: its own resources, under its own names, those that the client may use. */
function wantedOf(asked: Asked, { target }: Seat, wanted: Json): Json {
  const uris = asList(wanted['resourceSubscriptions']).flatMap((uri) => {
    const meant = typeof uri === 'string' ? meantBy(asked.mcp, 'resource', uri) : undefined;
    if (meant === undefined || !('item' in meant) || meant.item.target !== target.name) return [];
    return hasRules(asked) && !mayUse(asked, meant.item) ? [] : [meant.item.name];
  });
  const { resourceSubscriptions: _, ...flags } = wanted;
  return { ...flags, ...(uris.length > 0 && { resourceSubscriptions: uris }) };
}

async function pass(asked: Asked, open: readonly Open[], id: Id, sink: EventSink): Promise<void> {
  sink.onGone(() => {
    for (const { source } of open) source.cancel();
  });
  const agreed = await Promise.all(open.map(async (each) => agreedOf(asked, each)));
  const acknowledged = tagged('notifications/subscriptions/acknowledged', { notifications: joined(agreed) }, id);
  await sink.send(acknowledged);
  // One that ends is not missed as long as another goes on: the client would have to begin again with all of them.
  await Promise.allSettled(open.map(async (each, at) => passOne(asked, each, agreed[at] ?? {}, id, sink)));
  const result = { resultType: 'complete', _meta: { [SUBSCRIPTION]: id } };
  await sink.send({ kind: 'response', id, outcome: { result } });
}

/** What a target agrees to, under the names that the client knows. */
async function agreedOf(asked: Asked, { seat, source }: Open): Promise<Json> {
  const arrived = await source.next();
  const message = arrived?.message;
  if (message?.kind !== 'notification' || message.method !== 'notifications/subscriptions/acknowledged') return {};
  const agreed = asObject(message.params?.['notifications']) ?? {};
  const uris = agreed['resourceSubscriptions'];
  if (!Array.isArray(uris)) return agreed;
  return { ...agreed, resourceSubscriptions: uris.map((uri) => outwardUri(asked, seat, uri)) };
}

function joined(all: readonly Json[]): Json {
  const uris = all.flatMap(({ resourceSubscriptions }) => asList(resourceSubscriptions));
  const flags = Object.fromEntries(all.flatMap((each) => Object.entries(each)));
  return { ...flags, ...(uris.length > 0 && { resourceSubscriptions: uris }) };
}

async function passOne(asked: Asked, { seat, source }: Open, agreed: Json, id: Id, sink: EventSink): Promise<void> {
  for (let arrived = await source.next(); arrived !== undefined; arrived = await source.next()) {
    const { message } = arrived;
    const told = message?.kind === 'notification' ? outward(asked, seat, message, id) : undefined;
    if (told !== undefined && isAgreed(told, agreed)) await sink.send(told);
  }
}

function outward(asked: Asked, seat: Seat, { method, params = {} }: Notification, id: Id): Notification {
  const uri = params['uri'];
  return tagged(method, uri === undefined ? params : { ...params, uri: outwardUri(asked, seat, uri) }, id);
}

function outwardUri({ mcp }: Asked, { target }: Seat, uri: unknown): unknown {
  return typeof uri === 'string' ? outwardName(mcp, { kind: 'resource', target: target.name, name: uri }) : uri;
}

function tagged(method: string, params: Json, id: Id): Notification {
  const meta = isJson(params['_meta']) ? params['_meta'] : {};
  return { kind: 'notification', method, params: { ...params, _meta: { ...meta, [SUBSCRIPTION]: id } } };
}

/** A server with sessions says more than was asked for. */
function isAgreed({ method, params }: Notification, agreed: Json): boolean {
  const flag = FLAGS[method];
  if (flag !== undefined) return agreed[flag] === true;
  if (method !== 'notifications/resources/updated') return false;
  return asList(agreed['resourceSubscriptions']).includes(asString(params?.['uri']));
}

const FLAGS: Readonly<Record<string, string>> = {
  'notifications/tools/list_changed': 'toolsListChanged',
  'notifications/prompts/list_changed': 'promptsListChanged',
  'notifications/resources/list_changed': 'resourcesListChanged',
};
