import type { Duplex } from 'node:stream';
import { describeEffective } from '../attachment/policies/effective-policy.ts';
import type { Body } from '../base/body.ts';
import { endToEnd } from '../base/hop-by-hop.ts';
import { ProxyError } from '../base/proxy-error.ts';
import { whenOver } from '../base/when-over.ts';
import { a2a } from '../backends/a2a/handle-a2a.ts';
import { ai } from '../backends/ai/handle-ai.ts';
import type { Backend, Prepared } from '../backends/backend.ts';
import { connect } from '../backends/connect.ts';
import { http } from '../backends/http.ts';
import { mcp } from '../backends/mcp/handle-mcp.ts';
import type { Services } from '../credentials/services.ts';
import type { Answer, Sign, Targeted } from '../exchange/exchange.ts';
import { requestLimit } from '../exchange/request-limit.ts';
import { withTrace } from '../telemetry/trace-call.ts';
import { endpointText } from '../upstream/endpoints.ts';
import type { Response } from '../upstream/http-call.ts';
import { balancing, type NextTurn, type Turn } from './balancing.ts';
import type { CompiledPhase } from './compile-phase.ts';
import { compileBackend } from './compile-view.ts';
import { inHeaderCase } from './header-case.ts';
import { enter, type Journey } from './journey.ts';
import { RESPONSE } from './phases.ts';
import { respond } from './respond.ts';
import { withRetries } from './retries.ts';
import { runPhase } from './run-phase.ts';
import { requestSnapshot, responseSnapshot, watchBody } from './snapshots.ts';

/**
 * Calls the chosen backend until there is an answer to keep. Throws the ProxyError of the last attempt when no response
 * came.
 */
export function attempts(journey: Journey, targeted: Targeted, services: Services): Promise<Answer> {
  // Each provider of the groups has policies of its own, so an attempt tells which it is held to.
  if (targeted.backend.groups === undefined) policySelection(targeted);
  const { retry } = targeted.handover;
  const deadline = requestDeadline(targeted);
  const shared: Shared = { journey, nextTurn: balancing(targeted, services), deadline, services };
  const once = (exchange: Targeted): Promise<Answer> => attempt(exchange, shared);
  const answering = retry === undefined ? once(targeted) : withRetries(journey, targeted, retry, once);
  return deadline === undefined ? answering : within(deadline, answering);
}

/** The answer, and an end to the deadline when it is complete or will not come. */
async function within(deadline: Deadline, answering: Promise<Answer>): Promise<Answer> {
  try {
    const answer = await answering;
    if (answer.takeOver !== undefined) {
      // The response was complete with its head; what follows is another protocol.
      deadline.stop();
      return answer;
    }
    // TRAFFIC-005: the deadline ends with the body, not with the head.
    return { ...answer, body: whenOver(answer.body, deadline.stop) };
  } catch (error) {
    deadline.stop();
    throw error;
  }
}

function policySelection({ trace, backend: { policies } }: Targeted): void {
  if (!trace.active) return;
  const { sources } = policies;
  trace.emit({ type: 'policySelection', phase: 'backend', effectivePolicy: describeEffective(policies), sources });
}

/** How each kind of backend is spoken to. */
const BACKENDS: Readonly<Record<Targeted['backend']['protocol'], Backend>> = { http, ai, mcp: mcp(callTarget), a2a };

/** MCP-002: one request to one target of an mcp backend, with the policies of that target, and the answer they make of its own. */
async function callTarget(targeted: Targeted, services: Services): Promise<Answer> {
  const journey: Journey = { received: targeted };
  const answer = await attemptAt(targeted, undefined, { journey, nextTurn: undefined, deadline: undefined, services });
  return respond(journey, answer, services, OF_BACKENDS);
}

const OF_BACKENDS = RESPONSE.filter(({ phase }) => phase === 'backend');

/** What the attempts of one request have in common. */
interface Shared {
  readonly journey: Journey;
  readonly nextTurn: NextTurn | undefined;
  readonly deadline: Deadline | undefined;
  readonly services: Services;
}

/** One attempt; where there is a choice, at the endpoint whose turn it is. */
function attempt(targeted: Targeted, shared: Shared): Promise<Answer> {
  return shared.nextTurn === undefined
    ? attemptAt(targeted, undefined, shared)
    : attemptInTurn(targeted, shared.nextTurn, shared);
}

async function attemptInTurn(targeted: Targeted, nextTurn: NextTurn, shared: Shared): Promise<Answer> {
  const turn = nextTurn();
  const chosen = { ...targeted, backend: turn.backend };
  if (targeted.backend.groups !== undefined) policySelection(chosen);
  try {
    return await attemptAt(chosen, turn, shared);
  } catch (error) {
    turn.takeFailure(shared.journey.backend?.exchange ?? chosen, error);
    throw error;
  }
}

const NO_STEPS: CompiledPhase<Targeted> = { steps: [], responses: new Map() };

/** The policies of the backend, and the call. */
async function attemptAt(
  targeted: Targeted,
  turn: Turn | undefined,
  { journey, deadline, services }: Shared,
): Promise<Answer> {
  const servers = targeted.backend.mcp;
  // What is said about an mcp backend holds for every call to one of its targets.
  const passage = (journey.backend =
    servers === undefined ? enter(compileBackend(targeted.backend.policies), targeted) : enter(NO_STEPS, targeted));
  if (servers !== undefined) deadline?.start();
  const phase = runPhase(passage, services);
  const refused = phase instanceof Promise ? await phase : phase;
  if (refused !== undefined) return refused;

  const backend = passage.exchange.request.upgrade === 'tunnel' ? connect : BACKENDS[targeted.backend.protocol];
  const preparing = backend.prepare(passage.exchange, services);
  const ready = preparing instanceof Promise ? await preparing : preparing;
  passage.exchange = ready.exchange;
  if ('answer' in ready) return ready.answer;
  const traced = withTrace(ready.exchange);
  const unsigned = traced === ready.exchange ? ready : { ...ready, exchange: traced };
  const { sign } = unsigned.exchange.handover;
  const prepared = withHeaderCase(sign === undefined ? unsigned : await signed(unsigned, sign));
  passage.exchange = prepared.exchange;
  requestSnapshot(prepared.exchange, 'final request');

  deadline?.start();
  turn?.start(prepared.exchange);
  return call(backend, prepared, turn, services);
}

/** BAUTH-012: a signature is over what is sent, so nothing comes after it. */
async function signed(prepared: Prepared, sign: Sign): Promise<Prepared> {
  const { exchange } = prepared;
  return { ...prepared, exchange: { ...exchange, request: await sign(exchange) } };
}

/** Signatures are over names without their case. */
function withHeaderCase(prepared: Prepared): Prepared {
  const { exchange } = prepared;
  const { request } = exchange;
  const headers = inHeaderCase(exchange, request.headers);
  return headers === request.headers
    ? prepared
    : { ...prepared, exchange: { ...exchange, request: { ...request, headers } } };
}

async function call(backend: Backend, prepared: Prepared, turn: Turn | undefined, services: Services): Promise<Answer> {
  const { endpoint, exchange } = prepared;
  const { trace, clock, request, record, startedAt: arrivedAt } = exchange;
  const sentAt = clock.monotonic();
  const noteEnd = record?.noteCall({
    kind: 'Primary',
    subtype: exchange.backend.protocol,
    target: endpointText(endpoint),
    request,
  });
  if (trace.active) trace.emit({ type: 'backendCallStart', target: endpointText(endpoint) });
  const watched = watchBody(exchange, request.body, 'final request');

  let response: Response;
  try {
    response = await sendWatched(backend, prepared, watched.body, services);
  } catch (error) {
    watched.flush();
    const text = error instanceof Error ? error.message : String(error);
    noteEnd?.({ status: null, error: text });
    trace.emit({ type: 'backendCallResult', status: null, error: text }, { startedAt: sentAt });
    throw error;
  }
  // TRACE-037: what is not sent by now is cut from the snapshot, because the result comes next.
  watched.flush();
  const { status } = response;
  noteEnd?.({ status, error: null });
  if (trace.active) trace.emit({ type: 'backendCallResult', status, error: null }, { startedAt: sentAt });

  const timings = { requestProcessing: sentAt - arrivedAt, upstream: clock.monotonic() - sentAt };
  const came: Answer = { status, headers: response.headers, body: response.body, from: 'backend', timings };
  responseSnapshot(exchange, came, 'raw response');
  const raw = turn === undefined ? came : await turn.takeAnswer(exchange, came);
  const receiving = receiveAnswer(prepared, { ...raw, headers: endToEnd(response.headers) }, response.connection);
  const ready = receiving instanceof Promise ? await receiving : receiving;
  responseSnapshot(exchange, ready, 'backend response ready');
  return ready;
}

function receiveAnswer(
  { receive }: Prepared,
  answer: Answer,
  connection: Duplex | undefined,
): Answer | Promise<Answer> {
  return receive === undefined ? answer : receive(answer, connection);
}

function sendWatched(
  backend: Backend,
  prepared: Prepared,
  body: Body | undefined,
  services: Services,
): Promise<Response> {
  const { endpoint, exchange } = prepared;
  if (body === exchange.request.body) return backend.send(prepared, services);
  return backend.send({ endpoint, exchange: { ...exchange, request: { ...exchange.request, body } } }, services);
}

interface Deadline {
  readonly start: () => void;
  readonly stop: () => void;
}

/**
 * TRAFFIC-004: the time from the start of sending to the complete response; undefined when there is no limit. When it
 * is over everything that still happens for the request is cancelled.
 */
function requestDeadline({ rule, handover, clock, cancellation }: Targeted): Deadline | undefined {
  const { timeouts } = rule.postRouting;
  const limit = timeouts === undefined ? 0 : requestLimit(timeouts);
  if (limit === 0) return undefined;
  let stop: (() => void) | undefined;
  return {
    start: () => {
      // A further attempt has the time that the ones before it left.
      if (stop !== undefined) return;
      // DELAY-006: what a delay took is gone.
      stop = clock.after(limit - (handover.delay ?? 0), () => {
        cancellation.cancel(new ProxyError('requestTimeout', `no complete response within ${limit} ms`));
      });
    },
    stop: () => stop?.(),
  };
}
