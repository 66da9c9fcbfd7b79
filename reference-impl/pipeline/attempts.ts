import { describeEffective } from '../attachment/policies/effective-policy.ts';
import { a2a } from '../backends/a2a/handle-a2a.ts';
import { ai } from '../backends/ai/handle-ai.ts';
import type { Backend, Prepared } from '../backends/backend.ts';
import { connect } from '../backends/connect.ts';
import { http } from '../backends/http.ts';
import { mcp } from '../backends/mcp/handle-mcp.ts';
import type { Services } from '../credentials/services.ts';
import type { Answer, Sign, Targeted } from '../exchange/exchange.ts';
import { withTrace } from '../telemetry/trace-call.ts';
import type { Candidate } from '../upstream/health/register.ts';
import { balancing, type NextTurn, Turn } from './balancing.ts';
import { callBackend } from './call-backend.ts';
import type { CompiledPhase } from './compile-phase.ts';
import { compileBackend } from './compile-view.ts';
import { type Deadline, requestDeadline, within } from './deadline.ts';
import { inHeaderCase } from './header-case.ts';
import { enter, type Journey } from './journey.ts';
import { RESPONSE } from './phases.ts';
import { respond } from './respond.ts';
import { withRetries } from './retries.ts';
import { runPhase } from './run-phase.ts';
import { requestSnapshot } from './snapshots.ts';

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

function policySelection({ trace, backend: { policies } }: Targeted): void {
  if (!trace.active) return;
  const { sources } = policies;
  trace.emit({ type: 'policySelection', phase: 'backend', effectivePolicy: describeEffective(policies), sources });
}

/** How each kind of backend is spoken to. */
const BACKENDS: Readonly<Record<Targeted['backend']['protocol'], Backend>> = { http, ai, mcp: mcp(callTarget), a2a };

/** MCP-002: one request to one target of an mcp backend, with the policies of that target, and the answer they make of its own. */
async function callTarget(targeted: Targeted, services: Services, replica?: Candidate): Promise<Answer> {
  const journey: Journey = { received: targeted };
  const turn = replica && new Turn(replica);
  try {
    const answer = await attemptAt(targeted, turn, { journey, nextTurn: undefined, deadline: undefined, services });
    return await respond(journey, answer, services, OF_BACKENDS);
  } catch (error) {
    turn?.takeFailure(journey.backend?.exchange ?? targeted, error);
    throw error;
  }
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
  return callBackend(backend, prepared, turn, services);
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
