import type { BackendView } from '../../../attachment/view.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import type { Received, Request } from '../../../exchange/exchange.ts';
import type { Outcome } from '../../../exchange/outcome.ts';
import { refuse } from '../../../exchange/refusal.ts';
import { grpcClient, grpcTimeout } from '../../../upstream/peer-call.ts';
import type { Services } from '../../../credentials/services.ts';
import { ExternalProcessor } from '../../../upstream/wire/ext_proc_pb.js';
import type { Prepared } from '../../expression-input.ts';
import type { CompiledExtProc } from './compiled.ts';
import { envelopes } from './context.ts';
import { Conversation } from './conversation.ts';
import { REQUEST } from './direction.ts';
import { processorFailure } from './failure.ts';
import { immediateAnswer } from './immediate.ts';
import { processMessage } from './process-message.ts';
import { answerProcessor } from './response-half.ts';
import type { Speech } from './speech.ts';

/** Begins the conversation about a request, and shows the request to the processor. */
export async function processRequest(
  { exchange, variables }: Prepared<Received>,
  policy: CompiledExtProc,
  services: Services,
): Promise<Outcome> {
  const { attributes } = policy.request;
  const loan: Speech<Request>['loan'] = { body: exchange.request.body };
  let conversation: Conversation | undefined;
  try {
    const begun = (conversation = begin(exchange, policy, services));
    const envelope = envelopes({ ...policy, attributes, variables });
    const mayFail = (): boolean => policy.failOpen && !begun.bodyGiven;
    const speech = { conversation: begun, direction: REQUEST, envelope, loan, mayFail };
    const { message, metadata } = await processMessage(speech, exchange.request, policy.allowModeOverride);
    const facts = metadata === undefined ? {} : { extproc: { ...exchange.facts.extproc, ...metadata } };
    const processors = new Map(exchange.handover.processors).set(policy, answerProcessor(policy, begun));
    return { kind: 'change', request: message, facts, handover: { processors } };
  } catch (error) {
    if (conversation?.immediate !== undefined)
      return { kind: 'answer', answer: immediateAnswer(conversation.immediate) };
    conversation?.cancel();
    const bodyGiven = conversation?.bodyGiven ?? false;
    return afterFailure(processorFailure(error, exchange), policy, { ...exchange.request, body: loan.body }, bodyGiven);
  }
}

/** EXTPROC-020, EXTPROC-021, EXTPROC-022: FailOpen helps as long as nothing of the body is gone. */
function afterFailure(
  failure: ProxyError,
  { failOpen }: CompiledExtProc,
  request: Request,
  bodyGiven: boolean,
): Outcome {
  // EXTPROC-007: a body that is too large is no failure of the processor.
  if (!failOpen || failure.code !== 'extProcFailed') return refuse(failure);
  return bodyGiven ? refuse(failure) : { kind: 'change', request };
}

/** A conversation that connects with its first message. Throws when there is nobody to connect to. */
function begin(exchange: Received, policy: CompiledExtProc, services: Services): Conversation {
  const { cancellation, clock } = exchange;
  const backend = usable(exchange, policy);
  const client = grpcClient(ExternalProcessor, exchange, backend, services);
  const conversation = new Conversation({
    connect: (outgoing, signal) => client.process(outgoing, { signal }),
    modes: policy.modes,
    clock,
    patience: grpcTimeout(backend),
  });
  const release = cancellation.onCancel(() => {
    conversation.cancel();
  });
  conversation.whenOver(release);
  return conversation;
}

function usable({ view }: Received, { field, origin }: CompiledExtProc): BackendView {
  const backend = view.references.backend(field.backendRef, origin);
  if ('unresolved' in backend) throw new ProxyError('extProcFailed', backend.message);
  return backend;
}
