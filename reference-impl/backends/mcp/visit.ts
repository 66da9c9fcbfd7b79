import type { McpTargetView } from '../../attachment/view.ts';
import { Cancellation } from '../../base/cancellation.ts';
import { ProxyError } from '../../base/proxy-error.ts';
import { whenOver } from '../../base/when-over.ts';
import type { Answer } from '../../exchange/exchange.ts';
import { isJson, memberAt } from '../json.ts';
import type { Asked, Seat, Setback, Visiting } from './asked.ts';
import type { Id, Request } from './message.ts';
import { openSeat, openSession, prefersPerRequest } from './open-seat.ts';
import type { Opened } from './opened.ts';
import { endSeats } from './end-seats.ts';
import { CLIENT_INFO, LOG_LEVEL, metaIn, PROXY } from './per-request/meta.ts';
import { pickReplica } from './replicas.ts';
import type { Session } from './session.ts';
import { sendMessage } from './transports/transports.ts';
import { isPerRequest, PER_REQUEST, sessionedVersion } from './versions.ts';

/** MCP-005: answers a client without a session; the targets that its message is for are left when it has its answer. */
export async function whileVisiting(
  asked: Asked,
  answer: (visiting: Asked, session: Session) => Promise<Answer> | Answer,
): Promise<Answer> {
  const visit = new Visit();
  const seats = asked.mcp.targets.map((target) => ({ target, sessionId: undefined, endpoint: undefined }));
  const leave = (): void => void visit.end(asked);
  try {
    const given = await answer({ ...asked, visit }, { id: undefined, seats });
    return { ...given, body: whenOver(given.body, leave) };
  } catch (error) {
    leave();
    throw error;
  }
}

/** What the proxy says of itself where the client had no occasion to. */
export function introduction({ exchange, message }: Asked): Request {
  const said = metaIn(message, CLIENT_INFO);
  const params = {
    protocolVersion: sessionedVersion(exchange.request.headers.get('mcp-protocol-version')),
    capabilities: {},
    clientInfo: isJson(said) ? said : PROXY,
  };
  return { kind: 'request', id: 0, method: 'initialize', params };
}

/** What stands in for a session while one request of a client without one is answered. */
class Visit implements Visiting {
  readonly #seats = new Map<string, Promise<Seat | Setback>>();
  readonly #sessions = new Map<string, Promise<Seat | Setback>>();
  readonly #unanswered = new Set<Unanswered>();

  /** A seat at a target, taken when it is first asked for. */
  seatAt(asked: Asked, target: McpTargetView): Promise<Seat | Setback> {
    const known = this.#sessions.get(target.name) ?? this.#seats.get(target.name);
    if (known !== undefined) return known;
    const seat = takeSeat(asked, target);
    this.#seats.set(target.name, seat);
    return seat;
  }

  /** A session at a target that turned out to want one. */
  sessionAt(asked: Asked, target: McpTargetView): Promise<Seat | Setback> {
    const known = this.#sessions.get(target.name);
    if (known !== undefined) return known;
    const seat = openSession(asked, target, introduction(asked)).then((opened) => settle(asked, opened));
    this.#sessions.set(target.name, seat);
    return seat;
  }

  begin(seat: Seat, id: Id): () => void {
    const asking = { seat, id };
    this.#unanswered.add(asking);
    return () => {
      this.#unanswered.delete(asking);
    };
  }

  /** Leaves every target; nobody waits for it. */
  async end(asked: Asked): Promise<void> {
    await Promise.all([...this.#unanswered].map((each) => tellCancelled(asked, each)));
    const seats = await Promise.allSettled([...this.#seats.values(), ...this.#sessions.values()]);
    endSeats(
      asked,
      seats.flatMap((each) => (each.status === 'fulfilled' && 'target' in each.value ? [each.value] : [])),
    );
  }
}

interface Unanswered {
  readonly seat: Seat;
  readonly id: Id;
}

/** The client is not there any more to say so itself. What the target thinks of it matters to nobody. */
async function tellCancelled(asked: Asked, { seat, id: requestId }: Unanswered): Promise<void> {
  const alone: Asked = { ...asked, exchange: { ...asked.exchange, cancellation: new Cancellation() } };
  const params = { requestId, reason: 'the client closed its request' };
  const sent = await sendMessage(alone, seat, { kind: 'notification', method: 'notifications/cancelled', params });
  if (sent.kind === 'speaks') sent.messages.cancel();
  if (sent.kind === 'refuses') sent.answer.body?.cancel();
}

/** A server without sessions needs no introduction. */
async function takeSeat(asked: Asked, target: McpTargetView): Promise<Seat | Setback> {
  if (prefersPerRequest(asked, target) && target.backend.endpoints.length > 0) {
    return { target, sessionId: undefined, endpoint: pickReplica(target.backend, asked), revision: PER_REQUEST };
  }
  return settle(asked, await openSeat(asked, target, introduction(asked)));
}

/** Says that all is ready, where a session has begun. */
async function settle(asked: Asked, opened: Opened): Promise<Seat | Setback> {
  if (opened.kind !== 'opened') endSeats(asked, [opened.seat]);
  if (opened.kind === 'declines') {
    return { kind: 'fails', failure: new ProxyError('upstreamCallFailed', 'the MCP server declined the session') };
  }
  if (opened.kind !== 'opened') return opened;
  const { seat } = opened;
  if (isPerRequest(seat)) return seat;
  const said = { kind: 'notification', method: 'notifications/initialized', params: undefined } as const;
  const sent = await sendMessage(asked, seat, said);
  if (sent.kind === 'speaks') sent.messages.cancel();
  if (sent.kind === 'refuses' || sent.kind === 'fails') return sent;
  await setLevel(asked, seat);
  return seat;
}

/** A client that asks for messages of a level with its request gets them of a server that must be told before. */
async function setLevel(asked: Asked, seat: Seat): Promise<void> {
  const level = metaIn(asked.message, LOG_LEVEL);
  if (typeof level !== 'string' || memberAt(seat.capabilities, ['logging']) === undefined) return;
  const params = { level };
  const sent = await sendMessage(asked, seat, { kind: 'request', id: 0, method: 'logging/setLevel', params });
  if (sent.kind === 'speaks') sent.messages.cancel();
  if (sent.kind === 'refuses') sent.answer.body?.cancel();
}
