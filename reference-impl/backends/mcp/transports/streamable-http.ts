import { Buffer } from 'node:buffer';
import { HeaderMap } from '../../../base/headers.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import { bytesBody, readBody } from '../../../base/read-body.ts';
import { bodyLimit } from '../../../exchange/buffer-limit.ts';
import type { Answer, Request, Targeted } from '../../../exchange/exchange.ts';
import type { Asked, Seat } from '../asked.ts';
import { type Message, parseMessage, writeMessage } from '../message.ts';
import { readEvents } from './read-events.ts';
import { knownMessages, type MessageSource, type Sent } from './transport.ts';

/** MCP-027: sends one message by a POST of its own. Rejects only when the client is gone or its time is over. */
export async function postMessage(asked: Asked, seat: Seat, message: Message): Promise<Sent> {
  return settled(asked, async () => {
    const headers = HeaderMap.of([
      ['content-type', 'application/json'],
      ['accept', 'text/event-stream, application/json'],
      ...methodHeaders(message),
    ]);
    const body = bytesBody(Buffer.from(writeMessage(message)));
    const answer = await call(asked, seat, { method: 'POST', headers, body });
    return understood(answer, asked);
  });
}

/** Asks for the messages that answer nothing. `after` is the event a client saw last. */
export async function openStream(asked: Asked, seat: Seat, after: string | undefined): Promise<Sent> {
  return settled(asked, async () => {
    const resumed: Fields = after === undefined ? [] : [['last-event-id', after]];
    const headers = HeaderMap.of([['accept', 'text/event-stream'], ...resumed]);
    return understood(await call(asked, seat, { method: 'GET', headers, body: undefined }), asked);
  });
}

/** Ends the session at the target. What the target thinks of it matters to nobody. */
export async function deleteSession(asked: Asked, seat: Seat): Promise<void> {
  if (seat.sessionId === undefined) return;
  await settled(asked, async () => {
    const answer = await call(asked, seat, { method: 'DELETE', headers: HeaderMap.EMPTY, body: undefined });
    answer.body?.cancel();
    return { kind: 'accepted' };
  });
}

type Fields = readonly (readonly [name: string, value: string])[];

/** What goes wrong at the target is a value. */
async function settled({ exchange }: Asked, send: () => Promise<Sent>): Promise<Sent> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof ProxyError) || exchange.cancellation.reason !== undefined) throw error;
    return { kind: 'fails', failure: error };
  }
}

function call(asked: Asked, seat: Seat, said: Pick<Request, 'method' | 'headers' | 'body'>): Promise<Answer> {
  const { exchange, callTarget, services } = asked;
  const { target, endpoint, sessionId } = seat;
  const session: Fields = sessionId === undefined ? [] : [['mcp-session-id', sessionId]];
  const headers = HeaderMap.of([
    ...exchange.request.headers.remove(...OWN_FIELDS),
    ...session,
    // What is read here must be readable.
    ['accept-encoding', 'identity'],
    ...said.headers,
  ]);
  const backend = endpoint === undefined ? target.backend : { ...target.backend, endpoints: [endpoint] };
  const targeted: Targeted = {
    ...exchange,
    backend,
    request: { ...exchange.request, ...said, headers, target: target.path },
  };
  return callTarget(targeted, services);
}

/** What is about the message of the client, not about the client. */
const OWN_FIELDS = [
  'accept',
  'accept-encoding',
  'content-encoding',
  'content-length',
  'content-type',
  'last-event-id',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
] as const;

/** Servers and what stands before them may look at the fields alone. */
function methodHeaders(message: Message): Fields {
  if (message.kind === 'response') return [];
  const name = message.params?.['name'] ?? message.params?.['uri'] ?? message.params?.['taskId'];
  const named: Fields = typeof name === 'string' ? [['mcp-name', fieldText(name)]] : [];
  return [['mcp-method', fieldText(message.method)], ...named];
}

/** A name that a field cannot carry goes in base64. */
export function fieldText(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?');
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

async function understood(answer: Answer, asked: Asked): Promise<Sent> {
  const { status, headers, body } = answer;
  if (status === 202 || status === 204) {
    body?.cancel();
    return { kind: 'accepted' };
  }
  if (status < 200 || status > 299) return { kind: 'refuses', answer };
  const sessionId = headers.get('mcp-session-id');
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if ((headers.get('content-encoding') ?? 'identity') !== 'identity') {
    body?.cancel();
    return nonsense('the MCP server encodes its answers');
  }
  const limit = bodyLimit(asked.exchange, 'response');
  if (type === 'text/event-stream') return { kind: 'speaks', messages: messagesOf(answer, limit), sessionId };
  if (type === 'application/json') return wholeMessage(answer, limit, sessionId);
  body?.cancel();
  return nonsense(`unexpected content type: ${type ?? 'none'}`);
}

async function wholeMessage({ body }: Answer, limit: number, sessionId: string | undefined): Promise<Sent> {
  const { bytes, overflow, rest } = await readBody(body, limit);
  if (overflow) {
    rest.cancel();
    return nonsense('the answer of the MCP server is too large');
  }
  const parsed = parseMessage(Buffer.from(bytes).toString());
  if (!parsed.ok) return nonsense(`the answer of the MCP server is ${parsed.why}`);
  return { kind: 'speaks', messages: knownMessages([parsed.message]), sessionId };
}

function messagesOf({ body }: Answer, limit: number): MessageSource {
  const events = readEvents(body, limit);
  return {
    cancel: events.cancel,
    next: async () => {
      const event = await events.next();
      if (event === undefined) return undefined;
      const { id: eventId, data, retry } = event;
      // An event without data says from where a client may go on.
      if (data === '') return { message: undefined, eventId, retry };
      const parsed = parseMessage(data);
      if (!parsed.ok) throw new ProxyError('upstreamCallFailed', `an event of the MCP server is ${parsed.why}`);
      return { message: parsed.message, eventId, retry };
    },
  };
}

function nonsense(why: string): Sent {
  return { kind: 'fails', failure: new ProxyError('upstreamCallFailed', why) };
}
