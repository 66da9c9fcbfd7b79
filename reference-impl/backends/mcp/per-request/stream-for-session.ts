import { asObject } from '../../json.ts';
import type { Asked, Seat } from '../asked.ts';
import type { Request } from '../message.ts';
import type { Arrived, MessageSource, Sent } from '../transports/transport.ts';
import { sendMessage } from '../transports/transports.ts';
import { SUBSCRIPTION, withMeta } from './meta.ts';

/** What a server without sessions says by itself, for a client that opens the stream of its session. */
export async function streamForSession(asked: Asked, seat: Seat): Promise<Sent> {
  const sent = await sendMessage(asked, seat, withMeta(SUBSCRIBE, undefined));
  return sent.kind === 'speaks' ? { ...sent, messages: withoutFrame(sent.messages) } : sent;
}

/** All that there is to hear without a resource to name. */
const SUBSCRIBE: Request = {
  kind: 'request',
  id: 0,
  method: 'subscriptions/listen',
  params: { notifications: { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true } },
};

/** Without what belongs to the subscription: that it began and that it ended, and its name. */
function withoutFrame(source: MessageSource): MessageSource {
  const next = async (): Promise<Arrived | undefined> => {
    for (let arrived = await source.next(); arrived !== undefined; arrived = await source.next()) {
      const { message } = arrived;
      if (message?.kind !== 'notification' || message.method === 'notifications/subscriptions/acknowledged') continue;
      const { [SUBSCRIPTION]: _, ...meta } = asObject(message.params?.['_meta']) ?? {};
      const { _meta: __, ...rest } = message.params ?? {};
      const params = Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
      // Such a stream has no place to which a client could come back.
      return { message: { ...message, params }, eventId: undefined };
    }
    return undefined;
  };
  return { next, cancel: source.cancel };
}
