import type { McpTargetView } from '../../attachment/view.ts';
import { ProxyError } from '../../base/proxy-error.ts';
import type { Asked, Seat } from './asked.ts';
import { asList, asObject, asString, isJson, type Json } from '../json.ts';
import type { Request } from './message.ts';
import type { Opened } from './opened.ts';
import { hasNoSessions, knowsNoDiscovery } from './per-request/denials.ts';
import { serverInfoIn, withMeta } from './per-request/meta.ts';
import { askableOf } from './per-request/session-memory.ts';
import { remember, spokenBy } from './per-request/spoken.ts';
import { openLink } from './transports/sse.ts';
import { readResponse } from './read-response.ts';
import { pickReplica } from './replicas.ts';
import type { Sent } from './transports/transport.ts';
import { sendMessage } from './transports/transports.ts';
import { PER_REQUEST } from './versions.ts';

/**
 * Has a target introduce itself: begins a session at one replica, which the session keeps (MCP-004), or asks a server
 * without sessions who it is. A server that speaks the one kind of revision only is asked in the other, too.
 */
export async function openSeat(asked: Asked, target: McpTargetView, request: Request): Promise<Opened> {
  if (target.transport === 'SSE') return openSession(asked, target, request);
  const spoken = spokenBy(asked, target);
  const first = prefersPerRequest(asked, target) ? DISCOVERY : SESSION;
  const opened = await first.open(asked, target, request);
  if (!first.isDenied(opened) || (first === DISCOVERY && spoken.perRequest === true)) return opened;
  const other = await (first === DISCOVERY ? SESSION : DISCOVERY).open(asked, target, request);
  // What both refuse is told in the words that answer what was asked.
  if (other.kind !== 'opened') return opened;
  if (opened.kind === 'refuses') opened.answer.body?.cancel();
  return other;
}

/** Whether a target is spoken to without a session first: as its client speaks, unless it is known to do otherwise. */
export function prefersPerRequest(asked: Asked, target: McpTargetView): boolean {
  if (target.transport === 'SSE') return false;
  const spoken = spokenBy(asked, target);
  return asked.perRequest === true ? spoken.perRequest !== false : spoken.sessions === false;
}

/** Begins a session. */
export async function openSession(asked: Asked, target: McpTargetView, request: Request): Promise<Opened> {
  const here = seatAt(asked, target);
  if ('kind' in here) return here;
  const before = { target, sessionId: undefined, endpoint: undefined };
  const link = target.transport === 'SSE' ? await openLink(asked, here) : undefined;
  if (link !== undefined && 'kind' in link) return { ...link, seat: before };
  const seat: Seat = { ...here, link };
  const opened = await introduced(asked, seat, request);
  if (opened.kind !== 'opened' || asked.perRequest !== true) return opened;
  remember(asked, target, { perRequest: false });
  const { result } = opened;
  // The client's own field says what this server does not speak.
  const revision = asString(result['protocolVersion']);
  return { ...opened, seat: { ...opened.seat, revision, capabilities: asObject(result['capabilities']) } };
}

interface Way {
  readonly open: typeof openSession;
  /** Whether what came of it says that the server does not speak this kind of revision. */
  readonly isDenied: (opened: Opened) => boolean;
}

const SESSION: Way = { open: openSession, isDenied: hasNoSessions };
const DISCOVERY: Way = { open: discoverServer, isDenied: knowsNoDiscovery };

async function discoverServer(asked: Asked, target: McpTargetView, request: Request): Promise<Opened> {
  const here = seatAt(asked, target);
  if ('kind' in here) return here;
  const seat: Seat = { ...here, revision: PER_REQUEST };
  const question = { ...request, method: 'server/discover', params: { _meta: metaOf(asked) } };
  const opened = await introduced(
    asked,
    seat,
    asked.perRequest === true
      ? question
      : withMeta(question, { capabilities: askableOf(request.params?.['capabilities']) }),
  );
  if (opened.kind !== 'opened') return opened;
  const { result } = opened;
  if (!asList(result['supportedVersions']).includes(PER_REQUEST)) {
    return {
      kind: 'fails',
      failure: new ProxyError('upstreamCallFailed', 'the MCP server speaks no known revision'),
      seat,
    };
  }
  remember(asked, target, { perRequest: true, ...(asked.perRequest !== true && { sessions: false }) });
  return { ...opened, result: introductionIn(result, target), discovered: result };
}

/** A client that says in every request who it is says it with this one. */
function metaOf({ message, perRequest }: Asked): Json {
  return perRequest !== true || message === undefined || message.kind === 'response'
    ? {}
    : (asObject(message.params?.['_meta']) ?? {});
}

/** What a discovery says, as `initialize` would have. */
function introductionIn(discovered: Json, { name }: McpTargetView): Json {
  const { capabilities = {}, instructions } = discovered;
  return {
    protocolVersion: PER_REQUEST,
    capabilities,
    serverInfo: serverInfoIn(discovered) ?? { name, version: '' },
    ...(instructions !== undefined && { instructions }),
  };
}

/** A replica of the target, or why there is none. */
function seatAt(asked: Asked, target: McpTargetView): Seat | Extract<Opened, { kind: 'fails' }> {
  const before: Seat = { target, sessionId: undefined, endpoint: undefined };
  if (target.backend.endpoints.length === 0)
    return { kind: 'fails', failure: new ProxyError('noHealthyBackends'), seat: before };
  return { ...before, endpoint: pickReplica(target.backend, asked) };
}

async function introduced(asked: Asked, seat: Seat, request: Request): Promise<Opened> {
  const first = await sendMessage(asked, seat, request);
  const sent = wasIdle(first) ? await sendMessage(asked, seat, request) : first;
  if (sent.kind === 'accepted') return { kind: 'fails', failure: unanswered(), seat };
  if (sent.kind !== 'speaks') return { ...sent, seat };
  const begun: Seat = { ...seat, sessionId: sent.sessionId };
  const read = await readResponse(asked, sent.messages, request.id);
  if (read.kind === 'fails') return { ...read, seat: begun };
  const { outcome } = read.response;
  if ('result' in outcome && isJson(outcome.result)) return { kind: 'opened', seat: begun, result: outcome.result };
  return { kind: 'declines', seat: begun, response: read.response };
}

/**
 * Whether a connection ended before any answer, as one does that the server closed while it was idle. An introduction may be said again: the
 * worst that comes of it is a session that nobody uses. docs/decisions/mcp-failures.md
 */
function wasIdle(sent: Sent): boolean {
  if (sent.kind !== 'fails') return false;
  const { cause } = sent.failure;
  return cause instanceof Error && 'code' in cause && ENDED.has(cause.code);
}

const ENDED: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

function unanswered(): ProxyError {
  return new ProxyError('upstreamCallFailed', "unexpected 'accepted' response");
}
