import { Buffer } from 'node:buffer';
import { HeaderMap } from '../../../base/headers.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import { bytesBody, readBody } from '../../../base/read-body.ts';
import { bodyLimit } from '../../../exchange/buffer-limit.ts';
import type { Answer } from '../../../exchange/exchange.ts';
import { asObject, parseObject } from '../../json.ts';
import type { Asked, Seat } from '../asked.ts';
import { type Message, parseMessage, writeMessage } from '../message.ts';
import { mirroredFields } from '../mirrored-fields.ts';
import { isPerRequest } from '../versions.ts';
import { callSeat, settled } from './call-seat.ts';
import { readEvents } from './read-events.ts';
import { knownMessages, type MessageSource, type Sent } from './transport.ts';

/** MCP-027: sends one message by a POST of its own. Rejects only when the client is gone or its time is over. */
export async function postMessage(asked: Asked, seat: Seat, message: Message): Promise<Sent> {
  return settled(asked, async () => {
    const headers = HeaderMap.of([
      ['content-type', 'application/json'],
      ['accept', 'text/event-stream, application/json'],
      ...mirroredFields(message),
    ]);
    const body = bytesBody(Buffer.from(writeMessage(message)));
    const answer = await callSeat(asked, seat, { method: 'POST', headers, body, target: seat.target.path });
    const denies = isPerRequest(seat) || (message.kind === 'request' && message.method === 'initialize');
    return denies ? withError(answer, asked) : understood(answer, asked);
  });
}

/** Asks for the messages that answer nothing. `after` is the event a client saw last. */
export async function openStream(asked: Asked, seat: Seat, after: string | undefined): Promise<Sent> {
  return settled(asked, async () => {
    const resumed: Fields = after === undefined ? [] : [['last-event-id', after]];
    const headers = HeaderMap.of([['accept', 'text/event-stream'], ...resumed]);
    return understood(
      await callSeat(asked, seat, { method: 'GET', headers, body: undefined, target: seat.target.path }),
      asked,
    );
  });
}

/** Ends the session at the target. What the target thinks of it matters to nobody. */
export async function deleteSession(asked: Asked, seat: Seat): Promise<void> {
  if (seat.sessionId === undefined) return;
  await settled(asked, async () => {
    const answer = await callSeat(asked, seat, {
      method: 'DELETE',
      headers: HeaderMap.EMPTY,
      body: undefined,
      target: seat.target.path,
    });
    answer.body?.cancel();
    return { kind: 'accepted' };
  });
}

type Fields = readonly (readonly [name: string, value: string])[];

/** Statuses with which a server may say in JSON-RPC that it does not speak the revision, or knows no such method. */
const DENIALS: ReadonlySet<number> = new Set([400, 404]);

/** A refusal is read where it may say more than its status. */
async function withError(answer: Answer, asked: Asked): Promise<Sent> {
  const { status, headers, body } = answer;
  const isJsonText = headers.get('content-type')?.toLowerCase().startsWith('application/json') === true;
  if (!DENIALS.has(status) || !isJsonText || headers.get('content-encoding') !== undefined)
    return understood(answer, asked);
  const { bytes, overflow, rest } = await readBody(body, bodyLimit(asked.exchange, 'response'));
  if (overflow) {
    rest.cancel();
    return nonsense('the refusal of the MCP server is too large');
  }
  const error = asObject(parseObject(Buffer.from(bytes).toString())?.['error']);
  return { kind: 'refuses', answer: { ...answer, body: bytesBody(bytes) }, error };
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
