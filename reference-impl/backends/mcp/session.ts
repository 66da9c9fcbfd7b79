import { createHash, randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { perObject } from '../../base/per-object.ts';
import type { Received } from '../../exchange/exchange.ts';
import type { Services } from '../../credentials/services.ts';
import { endpointText } from '../../upstream/endpoints.ts';
import { pickReplica } from './replicas.ts';
import type { Asked, Link, Seat } from './asked.ts';
import { askableOf, SessionMemory } from './per-request/session-memory.ts';
import type { RefusalCode } from './refusals.ts';
import { isPerRequest, PER_REQUEST } from './versions.ts';
import { openTicket, type Place, sealTicket, type Ticket } from './session-id.ts';

/** One client's session with an mcp backend. */
export interface Session {
  /** Undefined where clients have no sessions. */
  readonly id: string | undefined;
  /** In the order of the targets of the backend. */
  readonly seats: readonly Seat[];
  /** What this process remembers for servers without sessions; undefined where all have them. */
  readonly memory?: SessionMemory | undefined;
}

/**
 * MCP-003: a session that begins where these seats are; its id says all that is needed to go on with it. `capabilities` is what the client
 * says that it can.
 */
export function beginSession(asked: Asked, seats: readonly Seat[], capabilities: unknown): Session {
  const ticket: Ticket = {
    backend: asked.exchange.backend.key,
    places: seats.map(placeOf),
    owner: ownerOf(asked.exchange),
    nonce: seats.every(({ sessionId }) => sessionId !== undefined) ? undefined : randomUUID(),
  };
  const id = sealTicket(ticket);
  const links = new Map(
    seats.flatMap(({ target, link }) => (link === undefined ? [] : [[target.name, link] as const])),
  );
  const memory = seats.some(isPerRequest) ? new SessionMemory(askableOf(capabilities)) : undefined;
  keep(asked, id, { ticket, links, usedAt: asked.exchange.clock.monotonic(), ended: false, memory });
  return { id, seats, memory };
}

/**
 * The session an id names, or why there is none. One that this process does not remember is taken from the id, unless
 * `remembered` asks for one that it does. docs/decisions/mcp-sessions.md
 */
export function findSession(asked: Asked, id: string, remembered: boolean): Session | RefusalCode {
  const known = registerOf(asked.services).get(id);
  if (known === undefined && remembered) return 'sessionUnknown';
  const ticket = known?.ticket ?? openTicket(id);
  if (ticket === undefined) return 'sessionInvalid';
  if (known?.ended === true || !isForCaller(ticket, asked)) return 'sessionUnknown';
  const links = known?.links ?? NO_LINKS;
  const seats = seatsOf(ticket, links, asked);
  if (seats === undefined) return 'sessionUnknown';
  const memory = known?.memory ?? (seats.some(isPerRequest) ? new SessionMemory() : undefined);
  keep(asked, id, { ticket, links, usedAt: asked.exchange.clock.monotonic(), ended: false, memory });
  return { id, seats, memory };
}

/** From now on the id names nothing here. */
export function endSession(asked: Asked, id: string): void {
  const known = registerOf(asked.services).get(id);
  if (known !== undefined) keep(asked, id, { ...known, ended: true });
}

interface Kept {
  readonly ticket: Ticket;
  /** By target: streams that this process holds, and no other can. */
  readonly links: Links;
  /** `clock.monotonic()` of the latest request. */
  readonly usedAt: number;
  readonly ended: boolean;
  readonly memory?: SessionMemory | undefined;
}

type Links = ReadonlyMap<string, Link>;
const NO_LINKS: Links = new Map();

/** Sessions a process remembers; those beyond, the longest unused, are taken from their ids again. */
const MOST_SESSIONS = 16_384;

/** Milliseconds a session is remembered without a request. */
const IDLE = 30 * 60 * 1000;

const registerOf = perObject<Services, LRUCache<string, Kept>>(
  () =>
    new LRUCache({
      max: MOST_SESSIONS,
      dispose: ({ links }, _, reason) => {
        if (reason !== 'set') for (const link of links.values()) link.close();
      },
    }),
);

function keep({ services, exchange }: Asked, id: string, session: Kept): void {
  const register = registerOf(services);
  register.set(id, session);
  const tooOld = exchange.clock.monotonic() - IDLE;
  // The longest unused come first.
  for (const old of register.rkeys()) {
    const usedAt = register.peek(old)?.usedAt ?? tooOld;
    if (usedAt > tooOld) break;
    register.delete(old);
  }
}

/** Another backend, or another client where clients are known, has no part in it. */
function isForCaller({ backend, owner }: Ticket, { exchange }: Asked): boolean {
  return backend === exchange.backend.key && owner === ownerOf(exchange);
}

/** Who was let in, as far as a policy said so. */
function ownerOf({ facts: { jwt, basicAuth }, handover: { keyOf } }: Received): string | undefined {
  if (jwt === undefined && keyOf === undefined && basicAuth === undefined) return undefined;
  const who = JSON.stringify([jwt?.['iss'], jwt?.['sub'], keyOf, basicAuth?.username]);
  return createHash('sha256').update(who).digest().subarray(0, 12).toString('base64url');
}

function placeOf({ target, sessionId, endpoint, revision }: Seat): Place {
  return { target: target.name, sessionId, endpoint: endpoint && endpointText(endpoint), revision };
}

/** MCP-004: the replicas that know the session; undefined when targets or replicas are not there any more. */
function seatsOf({ places }: Ticket, links: Links, { mcp, exchange, services }: Asked): readonly Seat[] | undefined {
  if (places.length !== mcp.targets.length) return undefined;
  const seats = mcp.targets.map((target): Seat | undefined => {
    const place = places.find((each) => each.target === target.name);
    if (place === undefined) return undefined;
    if (place.endpoint === undefined) return { target, sessionId: undefined, endpoint: undefined };
    const { endpoints } = target.backend;
    // Where there is no session every replica is as good as another.
    if (place.revision === PER_REQUEST && endpoints.length > 0) {
      const any = pickReplica(target.backend, { exchange, services });
      return { target, sessionId: undefined, endpoint: any, revision: PER_REQUEST };
    }
    // Only where the configuration leads: an id comes from outside.
    const endpoint = endpoints.find((each) => endpointText(each) === place.endpoint);
    const link = links.get(target.name);
    if (endpoint === undefined || (target.transport === 'SSE' && link === undefined)) return undefined;
    return { target, sessionId: place.sessionId, endpoint, link };
  });
  return seats.every((seat) => seat !== undefined) ? seats : undefined;
}
