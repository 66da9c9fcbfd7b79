import type { Endpoint, McpTargetView, McpView } from '../../attachment/view.ts';
import type { Services } from '../../credentials/services.ts';
import type { Answer, Targeted } from '../../exchange/exchange.ts';
import type { Candidate } from '../../upstream/health/register.ts';
import type { Json } from '../json.ts';
import type { Id, Message } from './message.ts';
import type { McpNotes } from './notes.ts';
import type { SessionMemory } from './per-request/session-memory.ts';
import type { MessageSource, Sent } from './transports/transport.ts';

/**
 * Sends one request to one target, with the policies of that target; what comes of it counts for the replica, where that is given. Rejects
 * with a ProxyError when no response comes.
 */
export type CallTarget = (exchange: Targeted, services: Services, replica?: Candidate) => Promise<Answer>;

/** What one request of a client to an mcp backend is answered with. */
export interface Asked {
  readonly exchange: Targeted;
  readonly mcp: McpView;
  readonly services: Services;
  readonly callTarget: CallTarget;
  readonly notes: McpNotes;
  /** What the client says, once it is read. */
  readonly message?: Message;
  /** Set where clients have no sessions. */
  readonly visit?: Visiting;
  /** Whether the client speaks the revision in which nobody has. */
  readonly perRequest?: boolean;
  /** What is remembered of the client's session, where one of its servers has none. */
  readonly memory?: SessionMemory | undefined;
}

/** One target, as far as a session has come with it. */
export interface Seat {
  readonly target: McpTargetView;
  /** What the target calls the session; undefined when it gave no name. */
  readonly sessionId: string | undefined;
  /** MCP-004: the replica that knows the session; undefined when the session did not begin there. */
  readonly endpoint: Endpoint | undefined;
  /** MCP-026: the stream of a target of the older transport. */
  readonly link?: Link | undefined;
  /** The revision that is spoken with it, where it is not the one that the client names. */
  readonly revision?: string | undefined;
  /** What the target said it can, where a request needs to know. */
  readonly capabilities?: Json | undefined;
}

/** A stream that a target keeps open for as long as the session lasts; everything it says comes on it. */
export interface Link {
  readonly send: (asked: Asked, seat: Seat, message: Message) => Promise<Sent>;
  /** What answers nothing, from now on; whoever listened before does not any more. */
  readonly listen: () => MessageSource;
  readonly close: () => void;
}

/** Seats that are taken for one request of a client. */
export interface Visiting {
  readonly seatAt: (asked: Asked, target: McpTargetView) => Promise<Seat | Setback>;
  /** The same in a session, for a target that turned out to want one. */
  readonly sessionAt: (asked: Asked, target: McpTargetView) => Promise<Seat | Setback>;
  /** A request that a target has not answered yet, which it is told when the client is gone. The returned function forgets it. */
  readonly begin: (seat: Seat, id: Id) => () => void;
}

/** Something that did not go well at a target. */
export type Setback = Exclude<Sent, { kind: 'speaks' }>;
