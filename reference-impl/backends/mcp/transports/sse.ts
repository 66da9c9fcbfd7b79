import { Buffer } from 'node:buffer';
import { Cancellation } from '../../../base/cancellation.ts';
import { HeaderMap } from '../../../base/headers.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import { bytesBody } from '../../../base/read-body.ts';
import { bodyLimit } from '../../../exchange/buffer-limit.ts';
import type { Asked, Link, Seat, Setback } from '../asked.ts';
import { asObject } from '../../json.ts';
import { type Id, type Message, parseMessage, type Request, writeMessage } from '../message.ts';
import { callSeat, settled } from './call-seat.ts';
import { MessageQueue } from './message-queue.ts';
import { type EventSource, readEvents, type ServerEvent } from './read-events.ts';
import type { MessageSource, Sent } from './transport.ts';

/**
 * MCP-026: opens the stream on which a target of the older transport says everything, and waits for the path at which
 * it wants to be told things. The stream outlives the request of the client.
 */
export async function openLink(asked: Asked, seat: Seat): Promise<Link | Setback> {
  const cancellation = new Cancellation();
  const stopListening = asked.exchange.cancellation.onCancel((reason) => {
    cancellation.cancel(reason);
  });
  const opened = await settled(asked, async () => {
    const lasting: Asked = { ...asked, exchange: { ...asked.exchange, cancellation } };
    const headers = HeaderMap.of([['accept', 'text/event-stream']]);
    const answer = await callSeat(lasting, seat, { method: 'GET', headers, body: undefined, target: seat.target.path });
    if (answer.status !== 200) return { kind: 'refuses', answer } as const;
    const events = readEvents(answer.body, bodyLimit(asked.exchange, 'response'));
    return new SseLink(events, await postTarget(events, seat), cancellation);
  });
  // Nobody listens to a stream on which no link stands.
  if ('kind' in opened && opened.kind === 'fails') cancellation.cancel(opened.failure);
  stopListening();
  if (!('kind' in opened)) opened.start();
  return opened;
}

/** Where the target wants its messages: on itself, whatever it says. */
async function postTarget(events: EventSource, { target }: Seat): Promise<string> {
  const event = await events.next();
  if (event?.event !== 'endpoint') throw new ProxyError('upstreamCallFailed', 'the MCP server names no endpoint');
  const base = new URL(target.path, 'http://target.invalid');
  const url = URL.parse(event.data, base.href);
  if (url === null) throw new ProxyError('upstreamCallFailed', 'the endpoint of the MCP server is no path');
  return `${url.pathname}${url.search}`;
}

class SseLink implements Link {
  readonly #events: EventSource;
  readonly #path: string;
  readonly #cancellation: Cancellation;
  /** Requests that wait for their response, each with the token under which its progress is told. */
  readonly #waiting = new Map<Id, { readonly queue: MessageQueue; readonly progressToken: unknown }>();
  /** Whoever listens to what answers nothing. */
  #listener: MessageQueue | undefined;
  #failure: ProxyError | undefined;

  constructor(events: EventSource, path: string, cancellation: Cancellation) {
    this.#events = events;
    this.#path = path;
    this.#cancellation = cancellation;
  }

  start(): void {
    void this.#read();
  }

  async send(asked: Asked, seat: Seat, message: Message): Promise<Sent> {
    if (this.#failure !== undefined) return { kind: 'fails', failure: this.#failure };
    const queue = message.kind === 'request' ? this.#queueFor(message, asked) : undefined;
    const sent = await settled(asked, async () => {
      const headers = HeaderMap.of([
        ['content-type', 'application/json'],
        ['accept', 'application/json, text/event-stream'],
      ]);
      const body = bytesBody(Buffer.from(writeMessage(message)));
      const answer = await callSeat(asked, seat, { method: 'POST', headers, body, target: this.#path });
      if (answer.status < 200 || answer.status > 299) return { kind: 'refuses', answer } as const;
      answer.body?.cancel();
      return { kind: 'accepted' } as const;
    });
    if (sent.kind === 'accepted' && queue !== undefined)
      return { kind: 'speaks', messages: queue, sessionId: undefined };
    queue?.cancel();
    return sent;
  }

  listen(): MessageSource {
    const queue = new MessageQueue(() => {
      if (this.#listener === queue) this.#listener = undefined;
    });
    // The latest who listens is the one who still does.
    this.#listener?.end();
    this.#listener = queue;
    if (this.#failure !== undefined) queue.end();
    return queue;
  }

  close(): void {
    this.#cancellation.cancel(new ProxyError('clientGone'));
    this.#events.cancel();
  }

  #queueFor({ id, params }: Request, { exchange }: Asked): MessageQueue {
    let stopListening: (() => void) | undefined;
    const queue = new MessageQueue(() => {
      stopListening?.();
      if (this.#waiting.get(id)?.queue === queue) this.#waiting.delete(id);
    });
    this.#waiting.set(id, { queue, progressToken: asObject(params?.['_meta'])?.['progressToken'] });
    // The cancellation of a client that has a stream of its own outlives the request.
    stopListening = exchange.cancellation.onCancel((reason) => {
      queue.fail(reason);
    });
    return queue;
  }

  async #read(): Promise<void> {
    try {
      for (let event = await this.#events.next(); event !== undefined; event = await this.#events.next())
        this.#take(event);
      this.#fail(new ProxyError('upstreamCallFailed', 'the MCP server ended its stream'));
    } catch (error) {
      this.#fail(error instanceof ProxyError ? error : new ProxyError('upstreamCallFailed', String(error)));
      this.#events.cancel();
    }
  }

  #take({ data }: ServerEvent): void {
    const parsed = parseMessage(data);
    if (!parsed.ok) throw new ProxyError('upstreamCallFailed', `an event of the MCP server is ${parsed.why}`);
    const { message } = parsed;
    const asker =
      message.kind === 'response' && message.id !== undefined ? this.#waiting.get(message.id)?.queue : undefined;
    (asker ?? this.#audience(message))?.push(message);
    asker?.end();
  }

  /**
   * Who is told what answers nothing. The client's streams are several connections: what belongs to a request stays before its
   * response only in the stream of that request. Where nobody listens it is told to whoever waits.
   */
  #audience(message: Message): MessageQueue | undefined {
    const waiting = [...this.#waiting.values()];
    const progressToken = message.kind === 'notification' ? message.params?.['progressToken'] : undefined;
    const asked = waiting.find((each) => progressToken !== undefined && each.progressToken === progressToken);
    const only = waiting.length === 1 ? waiting[0] : undefined;
    return (asked ?? only)?.queue ?? this.#listener ?? waiting[0]?.queue;
  }

  #fail(failure: ProxyError): void {
    this.#failure = failure;
    for (const { queue } of this.#waiting.values()) queue.fail(failure);
    this.#listener?.end();
  }
}
