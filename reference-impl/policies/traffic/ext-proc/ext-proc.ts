import type { BackendView } from '../../../attachment/view.ts';
import type { Cancellation } from '../../../base/cancellation.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import { whenOver } from '../../../base/when-over.ts';
import type { Answer, Received, Request } from '../../../exchange/exchange.ts';
import type { Outcome } from '../../../exchange/outcome.ts';
import { refusalFor, refuse } from '../../../exchange/refusal.ts';
import type { ExtProc } from '../../../resources/proxy-policy/fields/ext-proc.ts';
import { grpcClient, grpcTimeout } from '../../../upstream/peer-call.ts';
import type { Services } from '../../../upstream/services.ts';
import { ExternalProcessor } from '../../../upstream/wire/ext_proc_pb.js';
import { conditional } from '../../conditional.ts';
import {
  prepareAnswer,
  prepareRequest,
  readsBody,
  whenReady,
  type Prepared,
  type PreparedAnswer,
} from '../../expression-input.ts';
import type { Origin, Policy } from '../../policy.ts';
import { compileNamed, envelopes, type Context, type NamedPrograms } from './context.ts';
import { Conversation } from './conversation.ts';
import { REQUEST, RESPONSE } from './direction.ts';
import { immediateAnswer } from './immediate.ts';
import { modesOf, WIRE_BODY_MODES, type AllModes } from './modes.ts';
import { processMessage } from './process-message.ts';
import type { Speech } from './speech.ts';

export interface CompiledExtProc {
  readonly field: ExtProc;
  readonly origin: Origin;
  readonly modes: AllModes;
  readonly metadata: Context['metadata'];
  readonly request: CompiledHalf;
  readonly response: CompiledHalf;
  /** The streams of the requests under way: what the request half began the response half goes on with. */
  readonly conversations: WeakMap<Cancellation, Conversation>;
}

interface CompiledHalf {
  readonly attributes: NamedPrograms;
  readonly readsBody: boolean;
}

/** Lets an external processor see and change requests and answers (EXTPROC-001). */
const plain: Policy<ExtProc, CompiledExtProc> = {
  compile: (field, origin) => {
    const { metadataContext = {}, requestAttributes, responseAttributes, processingOptions } = field;
    const metadata = Object.entries(metadataContext).map(([name, values]) => [name, compileNamed(values)] as const);
    const all = metadata.flatMap(([, programs]) => programs);
    const half = (attributes: NamedPrograms, message: 'request' | 'response'): CompiledHalf => ({
      attributes,
      readsBody: readsBody(
        [...attributes, ...all].map(([, program]) => program),
        message,
      ),
    });
    return {
      field,
      origin,
      modes: modesOf(processingOptions),
      metadata,
      request: half(compileNamed(requestAttributes), 'request'),
      response: half(compileNamed(responseAttributes), 'response'),
      conversations: new WeakMap(),
    };
  },

  request: (exchange, policy, services) =>
    whenReady(prepareRequest(exchange, policy.request.readsBody), (prepared) =>
      processRequest(prepared, policy, services),
    ),

  response: (exchange, policy, answer) => {
    const conversation = policy.conversations.get(exchange.cancellation);
    // EXTPROC-021: a processor that failed open on the request does not see the answer either.
    if (conversation === undefined) return answer;
    if (conversation.immediate !== undefined) return instead(answer, immediateAnswer(conversation.immediate));
    // Only what a backend said is shown. A processor that ended the stream in order wants to see no more.
    if (answer.from !== 'backend' || conversation.over?.how === 'ended') {
      conversation.close();
      return answer;
    }
    return whenReady(prepareAnswer(exchange, answer, policy.response.readsBody), (prepared) =>
      processAnswer(exchange, prepared, policy, conversation),
    );
  },
};

/** `traffic.extProc`, plain or conditional (COND-008). */
export const extProc = conditional(plain);

async function processRequest(
  { exchange, variables }: Prepared<Received>,
  policy: CompiledExtProc,
  services: Services,
): Promise<Outcome> {
  const { request } = exchange;
  const loan: Speech<Request>['loan'] = { body: request.body };
  let conversation: Conversation | undefined;
  try {
    const begun = (conversation = begin(exchange, policy, services));
    const envelope = envelopes({
      attributes: policy.request.attributes,
      metadata: policy.metadata,
      variables,
      protocolConfig: protocolConfig(policy.modes),
    });
    const mayFail = (): boolean => policy.field.failureMode === 'FailOpen' && !begun.bodyGiven;
    const speech = { conversation: begun, direction: REQUEST, envelope, loan, mayFail };
    const { message, metadata } = await processMessage(speech, request, allowsOverride(policy));
    policy.conversations.set(exchange.cancellation, begun);
    const facts = metadata === undefined ? {} : { extproc: { ...exchange.facts.extproc, ...metadata } };
    return { kind: 'change', request: message, facts };
  } catch (error) {
    if (conversation?.immediate !== undefined)
      return { kind: 'answer', answer: immediateAnswer(conversation.immediate) };
    conversation?.cancel();
    return failed(error, exchange, policy, loan, conversation);
  }
}

/** EXTPROC-020, EXTPROC-021, EXTPROC-022: FailOpen helps as long as nothing of the body is gone. */
function failed(
  error: unknown,
  exchange: Received,
  { field }: CompiledExtProc,
  loan: Speech<Request>['loan'],
  conversation: Conversation | undefined,
): Outcome {
  const failure = processorFailure(error, exchange);
  const opens = failure.code === 'extProcFailed' && field.failureMode === 'FailOpen';
  if (!opens || conversation?.bodyGiven === true) return refuse(failure);
  return { kind: 'change', request: { ...exchange.request, body: loan.body } };
}

async function processAnswer(
  exchange: Received,
  { answer, variables }: PreparedAnswer,
  policy: CompiledExtProc,
  conversation: Conversation,
): Promise<Answer> {
  const envelope = envelopes({
    attributes: policy.response.attributes,
    metadata: policy.metadata,
    variables,
    protocolConfig: conversation.opened ? undefined : protocolConfig(policy.modes),
  });
  const speech: Speech<Answer> = {
    conversation,
    direction: RESPONSE,
    envelope,
    loan: { body: answer.body },
    mayFail: () => false,
  };
  try {
    const { message } = await processMessage(speech, answer, allowsOverride(policy));
    if (conversation.over !== undefined) return message;
    // A request that is still on its way when its answer is over is of no interest any more.
    const close = (): void => {
      conversation.close();
    };
    return { ...message, body: whenOver(message.body, close) };
  } catch (error) {
    if (conversation.immediate !== undefined) return instead(answer, immediateAnswer(conversation.immediate));
    conversation.cancel();
    return instead(answer, refusalFor(processorFailure(error, exchange)));
  }
}

/** A conversation that connects with its first message. Throws when there is nobody to connect to. */
function begin(exchange: Received, { field, origin, modes }: CompiledExtProc, services: Services): Conversation {
  const { cancellation, clock } = exchange;
  const backend = usable(exchange, field, origin);
  const client = grpcClient(ExternalProcessor, exchange, backend, services);
  const conversation = new Conversation({
    connect: (outgoing, signal) => client.process(outgoing, { signal }),
    modes,
    clock,
    patience: grpcTimeout(backend),
  });
  const release = cancellation.onCancel(() => {
    conversation.cancel();
  });
  conversation.whenOver(release);
  return conversation;
}

function usable({ view }: Received, { backendRef }: ExtProc, origin: Origin): BackendView {
  const backend = view.references.backend(backendRef, origin);
  if ('unresolved' in backend) throw new ProxyError('extProcFailed', backend.message);
  return backend;
}

function allowsOverride({ field }: CompiledExtProc): boolean {
  return field.processingOptions?.allowModeOverride === true;
}

function protocolConfig({ request, response }: AllModes): Context['protocolConfig'] {
  return { requestBodyMode: WIRE_BODY_MODES[request.body], responseBodyMode: WIRE_BODY_MODES[response.body] };
}

/** What the request fails with. A sender that broke off is not the processor's fault. */
function processorFailure(error: unknown, { cancellation }: Received): ProxyError {
  const { reason } = cancellation;
  if (reason instanceof ProxyError) return reason;
  if (error instanceof ProxyError) return error.code === 'noHealthyBackends' ? unreachable(error) : error;
  throw error;
}

function unreachable(cause: ProxyError): ProxyError {
  return new ProxyError('extProcFailed', cause.message, { cause });
}

function instead(former: Answer, answer: Answer): Answer {
  former.body?.cancel();
  return answer;
}
