import { create } from '@bufbuild/protobuf';
import type { Origin } from '../../../attachment/policies/effective-policy.ts';
import type { BackendView } from '../../../attachment/view.ts';
import { Cancellation } from '../../../base/cancellation.ts';
import { errorFields } from '../../../base/log.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import { compileOrFail } from '../../../cel/compile.ts';
import type { Program, VariableSource } from '../../../cel/program.ts';
import { asHeaderText } from '../../../cel/results.ts';
import type { Answer, Received, TokenDescriptor } from '../../../exchange/exchange.ts';
import { handingOver, type Outcome } from '../../../exchange/outcome.ts';
import { refuse } from '../../../exchange/refusal.ts';
import { answerVariables, requestVariables } from '../../../exchange/request-state.ts';
import type { GlobalRateLimit, RateLimitDescriptor } from '../../../resources/proxy-policy/fields/rate-limit.ts';
import type { BackendObjectReference } from '../../../resources/references.ts';
import { grpcClient, grpcTimeout, signalOf } from '../../../upstream/peer-call.ts';
import type { Services } from '../../../credentials/services.ts';
import {
  RateLimitDescriptorSchema,
  RateLimitRequestSchema,
  RateLimitService,
  type RateLimitDescriptor as SentDescriptor,
  type RateLimitRequest,
  type RateLimitResponse,
} from '../../../upstream/wire/rls_pb.js';
import { goOn, prepareRequest, readsBody } from '../../expression-input.ts';
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
  readonly counts: 'requests' | 'tokens';
  readonly entries: readonly { readonly name: string; readonly program: Program }[];
  readonly cost: Program | undefined;
}

/** Compiles `rateLimit.global`. */
export function compileGlobal(field: GlobalRateLimit, origin: Origin): CompiledGlobal {
  const descriptors = field.descriptors.map(compileDescriptor);
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
 * OK the request ends with 429 (RATE-002, RATE-003). docs/decisions/global-rate-limit.md
 */
export async function decideGlobal(before: Received, policy: CompiledGlobal, services: Services): Promise<Outcome> {
  const { exchange, variables } = await prepareRequest(before, policy.readsBody);
  const counted = policy.descriptors.flatMap((descriptor, index) => evaluate(descriptor, index, variables) ?? []);
  if (counted.length === 0) return goOn(before, exchange);
  const descriptors = counted.map(({ sent }) => sent);
  const question = create(RateLimitRequestSchema, { domain: policy.domain, descriptors });
  const answer = await ask(question, exchange, policy, services);
  const outcome = answer === undefined ? withoutAnswer(before, exchange, policy) : outcomeOf(exchange, answer);
  const inTokens = counted.flatMap((one) => one.inTokens ?? []);
  return withTokenDescriptors(outcome, exchange, policy, inTokens);
}

/** A completed request to a model, and what it took. */
export interface Completed {
  readonly exchange: Received;
  readonly answer: Answer;
  readonly streaming: boolean;
  /** Undefined when the model said nothing of them: then only a cost that does without is told (RATE-017). */
  readonly tokens: number | undefined;
}

/**
 * Tells the server how many tokens a completed request took, with the entries it was asked about (RATE-016, RATE-018).
 * Nobody waits for the answer: it can only concern later requests.
 */
export function reportTokens(
  { exchange, answer, streaming, tokens }: Completed,
  policy: CompiledGlobal,
  services: Services,
): void {
  // RATE-019: of a stream there is no response left to look at when its tokens are known.
  const variables = streaming ? requestVariables(exchange) : answerVariables(exchange, answer);
  const asked = exchange.handover.tokenDescriptors?.get(policy) ?? [];
  const descriptors = asked.flatMap(({ descriptor, entries }) => {
    const cost = policy.descriptors[descriptor]?.cost;
    const hits = (cost && hitsOf(cost, variables)) ?? BigInt(tokens ?? 0);
    return hits === 0n ? [] : [create(RateLimitDescriptorSchema, { entries: [...entries], hitsAddend: hits })];
  });
  if (descriptors.length === 0) return;
  const question = create(RateLimitRequestSchema, { domain: policy.domain, descriptors });
  // The client may have gone: its tokens count all the same. A server that fails is logged there.
  void ask(question, { ...exchange, cancellation: new Cancellation() }, policy, services);
}

/** Milliseconds a server has for its answer. */
const PATIENCE = 2000;

/** RATE-014 */
function compileDescriptor({ entries, cost, unit = 'Requests' }: RateLimitDescriptor): CompiledDescriptor {
  return {
    counts: unit === 'Requests' ? 'requests' : 'tokens',
    entries: entries.map(({ name, expression }) => ({ name, program: compileOrFail(expression) })),
    cost: cost === undefined ? undefined : compileOrFail(cost),
  };
}

/** The programs that run when the request comes. */
function programsOf({ counts, entries, cost }: CompiledDescriptor): readonly Program[] {
  const now = counts === 'tokens' || cost === undefined ? [] : [cost];
  return [...entries.map(({ program }) => program), ...now];
}

interface Counted {
  readonly sent: SentDescriptor;
  readonly inTokens: TokenDescriptor | undefined;
}

/** RATE-013: undefined when an entry has no value, because the others alone would count something else. */
function evaluate(
  { counts, entries, cost }: CompiledDescriptor,
  descriptor: number,
  variables: VariableSource,
): Counted | undefined {
  const sent: { readonly key: string; readonly value: string }[] = [];
  for (const { name, program } of entries) {
    const value = asHeaderText(program.evaluate(variables));
    if (value === undefined) return undefined;
    sent.push({ key: name, value });
  }
  // RATE-018: in tokens the question is only whether there are any left.
  const hits = counts === 'tokens' ? 0n : cost && hitsOf(cost, variables);
  const inTokens = counts === 'tokens' ? { descriptor, entries: sent } : undefined;
  const fields = { entries: sent, ...(hits === undefined ? {} : { hitsAddend: hits }) };
  return { sent: create(RateLimitDescriptorSchema, fields), inTokens };
}

/** The same outcome, with what is to be reported when the tokens are known. */
function withTokenDescriptors(
  outcome: Outcome,
  { request, handover }: Received,
  policy: CompiledGlobal,
  asked: readonly TokenDescriptor[],
): Outcome {
  if (asked.length === 0) return outcome;
  return handingOver(outcome, request, { tokenDescriptors: new Map(handover.tokenDescriptors).set(policy, asked) });
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
