import { asObject } from '../../json.ts';
import type { Asked, Seat } from '../asked.ts';
import type { Request } from '../message.ts';
import { MessageQueue } from '../transports/message-queue.ts';
import type { Arrived, MessageSource, Sent } from '../transports/transport.ts';
import { sendMessage } from '../transports/transports.ts';
import { SUBSCRIPTION, withMeta } from './meta.ts';

/**
 * What a server without sessions says by itself, for a client that opens the stream of its session: a subscription, and another one as soon
 * as the client wants to hear of other resources.
 */
export async function streamForSession(asked: Asked, seat: Seat): Promise<Sent> {
  const sent = await subscribe(asked, seat);
  if (sent.kind !== 'speaks') return sent;
  const stream = new Stream(asked, seat);
  void stream.follow(sent.messages);
  return { ...sent, messages: stream.messages };
}

/** All that there is to hear, and the resources that the client named. */
function subscribe(asked: Asked, seat: Seat): Promise<Sent> {
  const uris = asked.memory?.resourcesOf(seat.target.name) ?? [];
  const notifications = { ...LISTS, ...(uris.length > 0 && { resourceSubscriptions: uris }) };
  const request: Request = { kind: 'request', id: 0, method: 'subscriptions/listen', params: { notifications } };
  return sendMessage(asked, seat, withMeta(request, asked.memory));
}

const LISTS = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

/** Several subscriptions, one after the other, that are one stream to the client. */
class Stream {
  readonly #asked: Asked;
  readonly #seat: Seat;
  readonly messages: MessageQueue;
  #current: MessageSource | undefined;
  #isOver = false;

  constructor(asked: Asked, seat: Seat) {
    this.#asked = asked;
    this.#seat = seat;
    const forget = asked.memory?.stream(seat.target.name, () => this.#renew());
    this.messages = new MessageQueue(() => {
      this.#isOver = true;
      forget?.();
      this.#current?.cancel();
    });
  }

  /** Passes on what comes of it, until another one takes its place. Resolves when the server has agreed, or will not. */
  follow(source: MessageSource): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#current;
    this.#current = source;
    void this.#read(source, () => {
      // Nothing is missed in between: the one begins before the other ends.
      before?.cancel();
      resolve();
    });
    return promise;
  }

  async #renew(): Promise<void> {
    const sent = await subscribe(this.#asked, this.#seat);
    if (sent.kind === 'speaks' && !this.#isOver) return this.follow(sent.messages);
    // The client goes on with what it has.
    if (sent.kind === 'speaks') sent.messages.cancel();
    if (sent.kind === 'refuses') sent.answer.body?.cancel();
  }

  async #read(source: MessageSource, agreed: () => void): Promise<void> {
    try {
      for (let arrived = await source.next(); arrived !== undefined; arrived = await source.next()) {
        if (isAcknowledgement(arrived)) agreed();
        else this.#pass(arrived);
      }
      if (this.#current === source) this.messages.end();
    } catch (error) {
      if (this.#current === source) this.messages.fail(error instanceof Error ? error : new Error(String(error)));
    } finally {
      agreed();
    }
  }

  /** Without what belongs to the subscription: its end, and its name. */
  #pass({ message }: Arrived): void {
    if (message?.kind !== 'notification') return;
    const { [SUBSCRIPTION]: _, ...meta } = asObject(message.params?.['_meta']) ?? {};
    const { _meta: __, ...rest } = message.params ?? {};
    this.messages.push({ ...message, params: Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta } });
  }
}

function isAcknowledgement({ message }: Arrived): boolean {
  return message?.kind === 'notification' && message.method === 'notifications/subscriptions/acknowledged';
}
