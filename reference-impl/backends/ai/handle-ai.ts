import { credentialsInQuery } from '../../credentials/credentials-in-query.ts';
import type { Services } from '../../credentials/services.ts';
import { requestVariables, splitTarget } from '../../exchange/request-state.ts';
import type { Targeted } from '../../exchange/exchange.ts';
import type { RouteType } from '../../resources/proxy-policy/fields/ai/backend-ai.ts';
import type { Backend, Decided, Prepared } from '../backend.ts';
import { http } from '../http.ts';
import type { AiRequest } from './ai-request.ts';
import { destinationOf, withQuery, type Destination } from './providers/destination.ts';
import { detect } from './detect.ts';
import { isSpoken, SPOKEN } from './formats/registry.ts';
import { sendInFormat } from './in-format.ts';
import { typeAt } from './models/served-paths.ts';
import { withModel } from './models/with-model.ts';
import { listModels, passThrough } from './pass-through.ts';
import { policyBlock, type PolicyBlock } from './policy/policy-block.ts';
import { realtime } from './realtime/realtime.ts';

/**
 * LLM providers. What is spoken at the path decides how much of a request is understood: all of it in a format of its
 * own, its tokens only (Detect), or nothing (Passthrough).
 */
export const ai: Backend = {
  prepare: (exchange, services) => {
    const destination = withCredentials(destinationOf(exchange.backend), exchange);
    const block = policyBlock(exchange.backend.policies.ai);
    const type = routeTypeOf(exchange, block);
    const targeted = withOwnSignature({ ...exchange, backend: destination.backend }, destination, services);
    const request = { exchange: targeted, destination, block, services };
    // A virtual model has chosen the name.
    const { model } = destination.provider;
    if (exchange.backend.model === undefined || model === undefined) return handle(type, request);
    return withModel(targeted, model).then((named) => handle(type, { ...request, exchange: named }));
  },
  send: http.send,
};

/** PROV-012: `path` is the whole target, but that a credential which policies put into the query goes with it (BAUTH-003). */
function withCredentials(destination: Destination, { request, backend }: Targeted): Destination {
  const { settings } = destination;
  if (settings.path === undefined) return destination;
  const shown = credentialsInQuery(splitTarget(request.target).query, backend.policies.auth);
  return { ...destination, settings: { ...settings, path: withQuery(settings.path, shown) } };
}

/** The provider's own host is shown who calls, in the way it wants, even when no policy says so. */
function withOwnSignature(exchange: Targeted, { provider, settings }: Destination, services: Services): Targeted {
  const { handover, backend } = exchange;
  const unknown = handover.sign === undefined && backend.policies.auth === undefined && settings.host === undefined;
  const { signer } = provider;
  if (!unknown || signer === undefined) return exchange;
  return { ...exchange, handover: { ...handover, sign: signer.signFor(requestVariables(exchange), services) } };
}

/** For a model the path alone says what is spoken. */
function routeTypeOf(exchange: Targeted, block: PolicyBlock): RouteType {
  if (exchange.backend.model !== undefined) return typeAt(splitTarget(exchange.request.target).path);
  return block.routeType(splitTarget(exchange.request.target).path);
}

function handle(type: RouteType, request: AiRequest): Handled {
  return isSpoken(type) ? sendInFormat(SPOKEN[type], request) : UNSPOKEN[type](request);
}

type Handled = Prepared | Decided | Promise<Prepared | Decided>;

/** What is not understood as a format. */
const UNSPOKEN: Readonly<Record<Exclude<RouteType, keyof typeof SPOKEN>, (request: AiRequest) => Handled>> = {
  Passthrough: passThrough,
  Detect: detect,
  Models: listModels,
  Realtime: realtime,
};
