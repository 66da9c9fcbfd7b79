import type { ProxyError } from '../../base/proxy-error.ts';
import type { Answer } from '../../exchange/exchange.ts';
import type { Asked, Seat, Setback } from './asked.ts';
import { type EventSink, eventStreamAnswer } from './event-stream.ts';
import { decisive, setbackAnswer } from './failures.ts';
import { guardOutcome } from './guards/guard-result.ts';
import type { Request, Response } from './message.ts';
import { isJudged } from './judged.ts';
import { errorAsMessage } from './per-request/error-as-message.ts';
import { isForClient } from './per-request/heard.ts';
import { inClientsRevision } from './per-request/results.ts';
import { type ReadResponse, readUntilResponse } from './read-response.ts';
import { say } from './say.ts';
import { fromTarget } from './server-requests.ts';
import { takenUpAgain } from './transports/taken-up-again.ts';
import type { Arrived, MessageSource } from './transports/transport.ts';

/** A request on its way to targets. */
export interface Relay {
  readonly request: Request;
  /** What each of the targets is sent. */
  readonly parts: readonly Part[];
  /** Makes one response of what the targets answered. */
  readonly conclude: (answered: readonly Answered[]) => Response['outcome'];
}

export interface Part {
  readonly seat: Seat;
  readonly request: Request;
}

/** What came of one part. */
export interface Answered {
  readonly seat: Seat;
  readonly outcome: Response['outcome'];
}

/** Sends the parts and streams to the client what is said about them, with one response at the end. */
export async function relayRequest(asked: Asked, relay: Relay): Promise<Answer> {
  const sent = await Promise.all(
    relay.parts.map(async (part) => ({ part, sent: await sendPart(asked, part, relay.parts) })),
  );
  const speaking = sent.flatMap(({ part, sent: each }) =>
    each.kind === 'speaks' ? [{ ...part, source: each.messages }] : [],
  );
  const setbacks = sent.flatMap(({ sent: each }): Setback[] => (each.kind === 'speaks' ? [] : [each]));
  const deciding = decisive(setbacks, speaking.length, asked.mcp.failOpen);
  if (deciding !== undefined) {
    for (const { source } of speaking) source.cancel();
    return setbackAnswer(asked, deciding, relay.request.id);
  }
  return eventStreamAnswer((sink) => streamParts(asked, relay, speaking, sink));
}

/** Of several parts each is an answer to the client's question, whatever status it came with. */
async function sendPart(asked: Asked, { seat, request }: Part, parts: readonly Part[]): ReturnType<typeof say> {
  const sent = await say(asked, seat, request);
  return parts.length > 1 ? errorAsMessage(sent, request) : sent;
}

interface Speaking extends Part {
  readonly source: MessageSource;
}

async function streamParts(asked: Asked, relay: Relay, sources: readonly Speaking[], sink: EventSink): Promise<void> {
  // Events of several streams that become one are of no use to whoever comes back for the rest of one.
  const resumable = relay.parts.length === 1 && !isJudged(asked) && asked.perRequest !== true;
  const speaking = resumable
    ? sources
    : sources.map((each) => ({ ...each, source: takenUpAgain(asked, each.seat, each.source) }));
  sink.onGone(() => {
    for (const { source } of speaking) source.cancel();
  });
  const read = await Promise.all(
    speaking.map(async ({ seat, source, request }) => ({
      seat,
      read: await readUntilResponse(asked, source, request.id, (arrived) =>
        tell(asked, seat, arrived, resumable, sink),
      ),
    })),
  );
  const [first] = read;
  // The client comes back with the event it saw last.
  if (resumable && first?.read.kind === 'ends') return;
  const guarded = await guardOutcome(asked, relay.request, conclude(asked, relay, read));
  const outcome = inClientsRevision(asked, relay.request.method, guarded);
  asked.notes.noteOutcome(outcome);
  const eventId =
    resumable && first?.read.kind === 'answers' ? outwardEventId(asked, first.seat, first.read.eventId) : undefined;
  await sink.send({ kind: 'response', id: relay.request.id, outcome }, eventId);
}

/** Passes on what a target says before its response. */
export async function tell(
  asked: Asked,
  seat: Seat,
  { message, eventId, retry }: Arrived,
  resumable: boolean,
  sink: EventSink,
): Promise<void> {
  const hasSession = asked.visit === undefined && asked.perRequest !== true;
  if (!hasSession && message !== undefined && !(await isForClient(asked, seat, message))) return;
  if (asked.perRequest === true && message === undefined) return;
  const id = resumable ? outwardEventId(asked, seat, eventId) : undefined;
  if (message !== undefined) await sink.send(fromTarget(asked.mcp, seat.target.name, message), id);
  else if (id !== undefined) await sink.sendEvent({ id, data: '', retry });
}

/** Several targets count their events alike. */
function outwardEventId({ mcp }: Asked, { target }: Seat, eventId: string | undefined): string | undefined {
  return eventId === undefined || mcp.targets.length === 1 ? eventId : `${target.name}_${eventId}`;
}

/** The target whose event a client saw last, and the event as that target knows it. */
export function inwardEventId(
  { mcp }: Asked,
  eventId: string,
): { readonly target: string; readonly id: string } | undefined {
  const [only] = mcp.targets;
  if (only !== undefined && mcp.targets.length === 1) return { target: only.name, id: eventId };
  const at = eventId.indexOf('_');
  return at < 0 ? undefined : { target: eventId.slice(0, at), id: eventId.slice(at + 1) };
}

/** MCP-007, MCP-008: a target that fails now counts like one that could not be reached. */
function conclude(
  { mcp, services }: Asked,
  { conclude: concluded }: Relay,
  read: readonly { readonly seat: Seat; readonly read: ReadResponse }[],
): Response['outcome'] {
  const outcomes = read.map(({ seat, read: each }) => ({ seat, outcome: outcomeOf(each, services.log.warn) }));
  const failed = outcomes.filter(({ outcome }) => 'error' in outcome && !isUnknownMethod(outcome));
  const well = outcomes.filter(({ outcome }) => 'result' in outcome);
  const deciding = decisive(failed, well.length, mcp.failOpen);
  if (deciding !== undefined) return deciding.outcome;
  // Nobody knows the method, so the client is told so.
  if (well.length === 0 && outcomes[0] !== undefined) return outcomes[0].outcome;
  return concluded(well);
}

function outcomeOf(
  read: ReadResponse,
  warn: (message: string, fields: { error: string }) => void,
): Response['outcome'] {
  if (read.kind === 'answers') return read.response.outcome;
  if (read.kind === 'fails') warn('MCP server failed', { error: describe(read.failure) });
  return { error: { code: -32_603, message: 'failed to send message: the server broke off' } };
}

function describe(failure: ProxyError): string {
  return failure.message;
}

/** A target without tools has none to list, and does not fail because of it. */
export function isUnknownMethod(outcome: Response['outcome']): boolean {
  return 'error' in outcome && outcome.error['code'] === -32_601;
}
