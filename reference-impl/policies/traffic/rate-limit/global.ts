import { create } from '@bufbuild/protobuf';
import type { BackendView } from '../../../attachment/view.ts';
import { errorFields } from '../../../base/log.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import { compileOrFail } from '../../../cel/compile.ts';
import type { Program, VariableSource } from '../../../cel/program.ts';
import { asHeaderText } from '../../../cel/results.ts';
import type { Received } from '../../../exchange/exchange.ts';
import type { Outcome } from '../../../exchange/outcome.ts';
import { refuse } from '../../../exchange/refusal.ts';
import type { GlobalRateLimit, RateLimitDescriptor } from '../../../resources/proxy-policy/fields/rate-limit.ts';
import type { BackendObjectReference } from '../../../resources/references.ts';
import { grpcClient, grpcTimeout, signalOf } from '../../../upstream/peer-call.ts';
import type { Services } from '../../../upstream/services.ts';
import {
  RateLimitDescriptorSchema,
  RateLimitRequestSchema,
  RateLimitService,
  type RateLimitDescriptor as SentDescriptor,
  type RateLimitRequest,
  type RateLimitResponse,
} from '../../../upstream/wire/rls_pb.js';
import { goOn, prepareRequest, readsBody } from '../../expression-input.ts';
import type { Origin } from '../../policy.ts';
import { outcomeOf } from './server-answer.ts';

export interface CompiledGlobal {
  readonly server: BackendObjectReference;
  readonly origin: Origin;
  readonly failOpen: boolean;
  readonly domain: string;
  readonly descriptors: readonly CompiledDescriptor[];
  readonly readsBody: boolean;
}

interface CompiledDescriptor {
  readonly entries: readonly { readonly name: string; readonly program: Program }[];
  readonly cost: Program | undefined;
}

/** Compiles `rateLimit.global`. */
export function compileGlobal(field: GlobalRateLimit, origin: Origin): CompiledGlobal {
  // RATE-014. RATE-018: a descriptor in tokens is booked when the request is complete, and only requests of models have
  // tokens; nothing is asked about it here.
  const descriptors = field.descriptors.filter(({ unit = 'Requests' }) => unit === 'Requests').map(compileDescriptor);
  return {
    server: field.backendRef,
    origin,
    // RATE-020: FailClosed is the default.
    failOpen: field.failureMode === 'FailOpen',
    domain: field.domain,
    descriptors,
    readsBody: readsBody(descriptors.flatMap(programsOf), 'request'),
  };
}

/**
 * Asks the server about the request, once, with every descriptor that has a value (RATE-012). When it says anything but
 * OK the request ends with 429 (RATE-002, RATE-003).
 */
export async function decideGlobal(before: Received, policy: CompiledGlobal, services: Services): Promise<Outcome> {
  const { exchange, variables } = await prepareRequest(before, policy.readsBody);
  const descriptors = policy.descriptors.flatMap((descriptor) => evaluate(descriptor, variables) ?? []);
  if (descriptors.length === 0) return goOn(before, exchange);
  const question = create(RateLimitRequestSchema, { domain: policy.domain, descriptors });
  const answer = await ask(question, exchange, policy, services);
  return answer === undefined ? withoutAnswer(before, exchange, policy) : outcomeOf(exchange, answer);
}

/** Milliseconds a server has for its answer. */
const PATIENCE = 2000;

function compileDescriptor({ entries, cost }: RateLimitDescriptor): CompiledDescriptor {
  return {
    entries: entries.map(({ name, expression }) => ({ name, program: compileOrFail(expression) })),
    cost: cost === undefined ? undefined : compileOrFail(cost),
  };
}

function programsOf({ entries, cost }: CompiledDescriptor): readonly Program[] {
  return [...entries.map(({ program }) => program), ...(cost === undefined ? [] : [cost])];
}

/** RATE-013: undefined when an entry has no value, because the others alone would count something else. */
function evaluate({ entries, cost }: CompiledDescriptor, variables: VariableSource): SentDescriptor | undefined {
  const sent: { readonly key: string; readonly value: string }[] = [];
  for (const { name, program } of entries) {
    const value = asHeaderText(program.evaluate(variables));
    if (value === undefined) return undefined;
    sent.push({ key: name, value });
  }
  const hits = cost && hitsOf(cost, variables);
  return create(RateLimitDescriptorSchema, { entries: sent, ...(hits === undefined ? {} : { hitsAddend: hits }) });
}

/** RATE-017. RATE-015: undefined, which servers count as one, also when the expression gives no number from 0 on. */
function hitsOf(cost: Program, variables: VariableSource): bigint | undefined {
  const evaluation = cost.evaluate(variables);
  if (!evaluation.ok) return undefined;
  const { value } = evaluation;
  if (typeof value === 'bigint') return value >= 0n ? value : undefined;
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER
    ? BigInt(Math.floor(value))
    : undefined;
}

async function ask(
  question: RateLimitRequest,
  exchange: Received,
  { server, origin }: CompiledGlobal,
  services: Services,
): Promise<RateLimitResponse | undefined> {
  const { cancellation, view } = exchange;
  const { signal, release } = signalOf(cancellation);
  try {
    const backend = usable(view.references.backend(server, origin));
    const client = grpcClient(RateLimitService, exchange, backend, services);
    return await client.shouldRateLimit(question, { signal, timeoutMs: grpcTimeout(backend, PATIENCE) });
  } catch (error) {
    // Nobody waits for an answer any more: this is no failure of the server.
    if (cancellation.reason !== undefined) throw cancellation.reason;
    services.log.warn('rate limit server failed', { policy: origin.name, ...errorFields(error) });
    return undefined;
  } finally {
    release();
  }
}

function usable(backend: ReturnType<Received['view']['references']['backend']>): BackendView {
  if ('unresolved' in backend) throw new ProxyError('backendNotFound', backend.message);
  return backend;
}

/** RATE-021, RATE-022 */
function withoutAnswer(before: Received, exchange: Received, { failOpen }: CompiledGlobal): Outcome {
  return failOpen ? goOn(before, exchange) : refuse(new ProxyError('rateLimitFailed'));
}
