import { describeEffective, type EffectiveTraffic } from '../attachment/policies/effective-policy.ts';
import type { ModelsView } from '../attachment/view.ts';
import type { Services } from '../credentials/services.ts';
import type { Answer, Listened, Received, Routed } from '../exchange/exchange.ts';
import { listenedBy } from '../telemetry/begin-record.ts';
import { tell, withCountedBody } from '../telemetry/tell.ts';
import { attempts } from './attempts.ts';
import { compileGateway, compileRoute } from './compile-view.ts';
import { failureAnswer } from './failure-answer.ts';
import { inHeaderCase } from './header-case.ts';
import { enter, latest, type Journey, type Passage } from './journey.ts';
import { fireMirrors } from './mirrors.ts';
import { withReplyHeaders } from './reply-headers.ts';
import { reportReplyHeaders } from './report-half.ts';
import { respond } from './respond.ts';
import { runPhase } from './run-phase.ts';
import { selectBackend } from './select-backend.ts';
import { checkFrontend, selectListener } from './select-listener.ts';
import { modelsOf, selectModel } from './select-model.ts';
import { selectRoute } from './select-route.ts';
import { requestSnapshot, responseSnapshot, watchBody } from './snapshots.ts';

/** Delivers an answer to the client. Resolves when the client has it, or when the client is gone; never rejects. */
export type Reply = (answer: Answer) => Promise<void>;

/**
 * THE SPINE: what happens to one request from its arrival to the last byte of its answer. Never rejects: every failure
 * on the way becomes an answer here, in one place.
 */
export async function handleRequest(received: Received, services: Services, reply: Reply): Promise<void> {
  const { trace } = received;
  const journey: Journey = { received };
  trace.emit({ type: 'requestStarted' });
  let answer: Answer;
  try {
    answer = await answerTo(journey, services);
  } catch (error) {
    answer = failureAnswer(error, services.log);
  }
  const responded = await respond(journey, answer, services);
  const final = reportReplyHeaders(journey, responded, withReplyHeaders(latest(journey), responded));
  responseSnapshot(latest(journey), final, 'final response');
  const watched = withCountedBody(withWatchedBody(latest(journey), final), latest(journey).record);
  latest(journey).record?.noteReply();
  const headers = inHeaderCase(latest(journey), watched.headers);
  await reply(headers === watched.headers ? watched : { ...watched, headers });
  if (services.telemetry !== undefined) tell(latest(journey), final, services.telemetry);
  trace.emit({ type: 'requestFinished' });
  trace.finish();
}

/** TRACE-087. What the proxy says by itself is no body of a backend and is not reported. */
function withWatchedBody(exchange: Received, answer: Answer): Answer {
  if (!exchange.trace.active || answer.from !== 'backend') return answer;
  return { ...answer, body: watchBody(exchange, answer.body, 'response').body };
}

/** The way to the backend, one phase after the other. The first answer ends it. */
async function answerTo(journey: Journey, services: Services): Promise<Answer> {
  const { received } = journey;
  requestSnapshot(received, 'initial request');

  const listened = listenedBy(received, selectListener(received), services);
  checkFrontend(listened);
  const gateway = (journey.gateway = enterGateway(listened));
  const refusedAtGateway = await runPhase(gateway, services);
  if (refusedAtGateway !== undefined) return refusedAtGateway;
  requestSnapshot(gateway.exchange, 'gateway policies');

  const routed = selectRoute(gateway.exchange);
  const route = (journey.route = enterRoute(routed));
  const answeredByRoute = await runPhase(route, services);
  if (answeredByRoute !== undefined) return answeredByRoute;
  requestSnapshot(route.exchange, 'route policies');

  const models = modelsOf(route.exchange);
  if (models !== undefined) return toModel(journey, route.exchange, models, services);
  const targeted = selectBackend(route.exchange, services.random);
  fireMirrors(targeted, services);
  return attempts(journey, targeted, services);
}

/** MODEL-001: the way to a model by its name. */
async function toModel(journey: Journey, routed: Routed, models: ModelsView, services: Services): Promise<Answer> {
  const chosen = await selectModel(routed, models, services.random);
  return 'backend' in chosen ? attempts(journey, chosen, services) : chosen;
}

function enterGateway(listened: Listened): Passage<Listened> {
  const { preRouting } = listened.listener;
  policySelection(listened, 'gateway', preRouting);
  return enter(compileGateway(preRouting), listened);
}

function enterRoute(routed: Routed): Passage<Routed> {
  const { postRouting } = routed.rule;
  policySelection(routed, 'route', postRouting);
  return enter(compileRoute(postRouting), routed);
}

/** TRACE-069, TRACE-070 */
function policySelection({ trace }: Received, phase: 'gateway' | 'route', effective: EffectiveTraffic): void {
  if (!trace.active) return;
  const { sources } = effective;
  trace.emit({ type: 'policySelection', phase, effectivePolicy: describeEffective(effective), sources });
}
