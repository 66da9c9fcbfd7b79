import { randomUUID } from 'node:crypto';
import { Buffer } from 'node:buffer';
import { LRUCache } from 'lru-cache';
import { Cancellation } from '../../../base/cancellation.ts';
import { HeaderMap } from '../../../base/headers.ts';
import { perObject } from '../../../base/per-object.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import { readBody } from '../../../base/read-body.ts';
import type { Services } from '../../../credentials/services.ts';
import { bodyLimit } from '../../../exchange/buffer-limit.ts';
import type { Answer } from '../../../exchange/exchange.ts';
import type { Asked } from '../asked.ts';
import { endSeats } from '../end-seats.ts';
import { type EventSink, eventStreamAnswer } from '../event-stream.ts';
import { listen } from '../listen.ts';
import { parseMessage } from '../message.ts';
import { refuseMcp } from '../refusals.ts';
import { endSession, findSession } from '../session.ts';
import { readEvents } from '../transports/read-events.ts';
import { answerMessage } from './answer-message.ts';

/** Where a backend is spoken to by the older transport: this path, as the backend sees it. docs/decisions/mcp-older-clients.md */
export function isForOlderTransport({ exchange }: Asked): boolean {
  return exchange.request.target.split('?', 1)[0] === '/sse';
}

/** A client of the older transport: it hears everything on one stream, and says things by POST where that stream told it to. */
export function answerSse(asked: Asked): Promise<Answer> | Answer {
  const { method } = asked.exchange.request;
  if (method === 'GET') return openStream(asked);
  return method === 'POST' ? takeMessage(asked) : refuseMcp('methodNotAllowed');
}

/** A client whose stream is open. */
interface Client {
  readonly sink: EventSink;
  /** Ends what is under way for it: that outlives the requests by which it was asked for. */
  readonly cancellation: Cancellation;
  readonly backend: string;
  /** The session that its messages are in, once it has one. */
  session: string | undefined;
}

/** Streams a process keeps; of more than that the longest unused end. */
const MOST_CLIENTS = 16_384;

const clientsOf = perObject<Services, LRUCache<string, Client>>(
  () =>
    new LRUCache({
      max: MOST_CLIENTS,
      dispose: ({ cancellation }) => {
        cancellation.cancel(new ProxyError('clientGone'));
      },
    }),
);

function openStream(asked: Asked): Answer {
  const { exchange, services } = asked;
  const id = randomUUID();
  return eventStreamAnswer(async (sink) => {
    const cancellation = new Cancellation();
    const client: Client = { sink, cancellation, backend: exchange.backend.key, session: undefined };
    clientsOf(services).set(id, client);
    await sink.sendEvent({ event: 'endpoint', data: placeOf(exchange.asked.target, id) });
    await new Promise<void>((resolve) => {
      cancellation.onCancel(() => {
        resolve();
      });
      exchange.cancellation.onCancel(() => {
        resolve();
      });
      sink.onGone(resolve);
    });
    clientsOf(services).delete(id);
    leave(asked, client);
  });
}

/** Where the client asked, as it asked, with the name of its stream. */
function placeOf(target: string, id: string): string {
  return `${target}${target.includes('?') ? '&' : '?'}${NAME}=${id}`;
}

const NAME = 'sessionId';

/** A session of this transport is its stream. */
function leave(asked: Asked, { session }: Client): void {
  const known = session === undefined ? undefined : findSession(asked, session, false);
  if (session === undefined || known === undefined || typeof known === 'string') return;
  endSession(asked, session);
  endSeats(asked, known.seats);
}

async function takeMessage(asked: Asked): Promise<Answer> {
  const { exchange } = asked;
  const query = new URLSearchParams(exchange.request.target.split('?').slice(1).join('?'));
  const id = query.get(NAME);
  if (id === null || query.getAll(NAME).length > 1) return refuseMcp('sessionNotNamed');
  const client = clientsOf(asked.services).get(id);
  if (client === undefined || client.backend !== exchange.backend.key) return refuseMcp('sessionUnknown');
  const { bytes, overflow } = await readBody(exchange.request.body, bodyLimit(exchange, 'request'));
  const parsed = overflow
    ? ({ ok: false, why: 'length limit exceeded' } as const)
    : parseMessage(Buffer.from(bytes).toString());
  if (!parsed.ok) return refuseMcp('unreadable', { detail: parsed.why });
  const { message } = parsed;
  asked.notes.note(message);
  const answer = await answerMessage({ ...inSession(asked, client), message }, message);
  if (!isStream(answer)) return answer;
  const begun = answer.headers.get('mcp-session-id');
  client.session ??= begun;
  void passOn(asked, client, answer);
  if (begun !== undefined) void hear(asked, client);
  return { status: 202, headers: HeaderMap.EMPTY, body: undefined, from: 'backend' };
}

/** The message as one in the session of the stream. */
function inSession(asked: Asked, { session, cancellation }: Client): Asked {
  const { exchange } = asked;
  const others = exchange.request.headers.remove('mcp-session-id', 'mcp-protocol-version');
  const own = session === undefined ? [] : [['mcp-session-id', session] as const];
  const request = { ...exchange.request, headers: HeaderMap.of([...others, ...own]) };
  return { ...asked, exchange: { ...exchange, request, cancellation } };
}

function isStream({ status, headers }: Answer): boolean {
  return status === 200 && headers.get('content-type') === 'text/event-stream';
}

/** What answers a message comes on the stream. */
async function passOn(asked: Asked, { sink, cancellation }: Client, { body }: Answer): Promise<void> {
  const events = readEvents(body, bodyLimit(asked.exchange, 'response'));
  const forget = cancellation.onCancel(events.cancel);
  try {
    for (let event = await events.next(); event !== undefined; event = await events.next()) {
      const { data } = event;
      // An event without a message says where to go on, which nobody can here.
      if (data !== '') await sink.sendEvent({ event: 'message', data });
    }
  } catch (error) {
    asked.services.log.warn('MCP server failed', { error: String(error) });
  } finally {
    forget();
  }
}

/** What servers say of their own accord comes unasked, once there is a session. */
async function hear(asked: Asked, client: Client): Promise<void> {
  const here = inSession(asked, client);
  const session = client.session === undefined ? undefined : findSession(here, client.session, false);
  if (session === undefined || typeof session === 'string') return;
  try {
    const answer = await listen(here, session);
    if (isStream(answer)) await passOn(here, client, answer);
    else answer.body?.cancel();
  } catch (error) {
    asked.services.log.warn('MCP server failed', { error: String(error) });
  }
}
