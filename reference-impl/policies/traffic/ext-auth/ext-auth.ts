import type { Origin } from '../../../attachment/policies/effective-policy.ts';
import { errorFields } from '../../../base/log.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import type { Received } from '../../../exchange/exchange.ts';
import type { Outcome } from '../../../exchange/outcome.ts';
import { refuse } from '../../../exchange/refusal.ts';
import type { ExtAuth } from '../../../resources/proxy-policy/fields/ext-auth.ts';
import type { BackendObjectReference } from '../../../resources/references.ts';
import type { Services } from '../../../credentials/services.ts';
import { conditional } from '../../conditional.ts';
import { goOn, prepareRequest, readsBody } from '../../expression-input.ts';
import type { Policy } from '../../policy.ts';
import { compileCache, type CompiledCache, placeIn } from './cache.ts';
import { applyDecision, type Asking, type Decision, outcomeOf, type Question, withoutFields } from './decision.ts';
import { forwardBody, forwardLimit } from './forward-body.ts';
import { askGrpc } from './grpc.ts';
import { askHttp } from './http.ts';

export interface CompiledExtAuth {
  readonly server: BackendObjectReference;
  readonly origin: Origin;
  readonly failOpen: boolean;
  readonly asking: Asking;
  /** EXTAUTH-022: bytes of body the server may see; undefined sends none. */
  readonly forwardLimit: number | undefined;
  readonly readsBody: boolean;
  readonly cache: CompiledCache | undefined;
}

const plain: Policy<ExtAuth, CompiledExtAuth> = {
  compile: (field, origin) => {
    // gRPC when neither is named.
    const asking = field.http === undefined ? askGrpc(field.grpc ?? {}) : askHttp(field.http);
    const cache = field.cache && compileCache(field.cache);
    return {
      server: field.backendRef,
      origin,
      // EXTAUTH-002, EXTAUTH-003: FailClosed is the default.
      failOpen: field.failureMode === 'FailOpen',
      asking,
      forwardLimit: field.forwardBody && forwardLimit(field.forwardBody.maxSize),
      readsBody: readsBody([...asking.programs, ...(cache?.keys ?? [])], 'request'),
      cache,
    };
  },

  request: async (before, policy, services) => {
    const forwarded = await forwardBody(before, policy.forwardLimit);
    // EXTAUTH-025: refused whole; a server that sees a part would decide about something else.
    if (forwarded.tooLarge) return refuse(new ProxyError('extAuthBodyTooLarge'));
    const { exchange, variables } = await prepareRequest(forwarded.exchange, policy.readsBody);
    const question: Question = { exchange, variables, body: forwarded.body };

    const place = policy.cache && placeIn(policy.cache, variables, services);
    const known = place?.recall(exchange.clock);
    // EXTAUTH-027: the decision is applied again, the server is not asked.
    if (known !== undefined) return outcomeOf(exchange, known);

    const decision = await ask(question, policy, services);
    if (decision === 'unavailable') return withoutServer(before, exchange, policy);
    if (place === undefined) return outcomeOf(exchange, decision);
    // EXTAUTH-030: the time to live is evaluated on the request as the decision leaves it.
    const kept = await place.keep(decision, applyDecision(exchange, decision));
    return outcomeOf({ ...exchange, request: { ...exchange.request, body: kept.request.body } }, decision);
  },
};

/**
 * Asks a server whether the request may pass (EXTAUTH-001), plain or conditional (COND-007), for traffic and for single
 * backends (EXTAUTH-038). docs/decisions/external-authorization.md
 */
export const extAuth = conditional(plain);

async function ask(question: Question, policy: CompiledExtAuth, services: Services): Promise<Decision | 'unavailable'> {
  const { view, cancellation } = question.exchange;
  const server = view.references.backend(policy.server, policy.origin);
  try {
    if ('unresolved' in server) throw new ProxyError('backendNotFound', server.message);
    return await policy.asking.ask(question, server, services);
  } catch (error) {
    // Nobody waits for a decision any more: this is no failure of the server.
    if (cancellation.reason !== undefined) throw cancellation.reason;
    services.log.warn('external authorization failed', { policy: policy.origin.name, ...errorFields(error) });
    return 'unavailable';
  }
}

/** EXTAUTH-039: FailOpen goes on without an answer (EXTAUTH-004), FailClosed denies. */
function withoutServer(before: Received, exchange: Received, { failOpen, asking }: CompiledExtAuth): Outcome {
  if (!failOpen) return refuse(new ProxyError('extAuthFailed'));
  return goOn(before, { ...exchange, request: withoutFields(exchange.request, asking.claims) });
}
