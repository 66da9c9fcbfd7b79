import type { ExtProc } from '../../../resources/proxy-policy/fields/ext-proc.ts';
import { conditional } from '../../conditional.ts';
import { prepareAnswer, prepareRequest, whenReady } from '../../expression-input.ts';
import type { Policy } from '../../policy.ts';
import { compileExtProc, type CompiledExtProc } from './compiled.ts';
import { immediateAnswer } from './immediate.ts';
import { processRequest } from './request-half.ts';
import { processAnswer } from './response-half.ts';

/** Lets an external processor see and change requests and answers (EXTPROC-001). */
const plain: Policy<ExtProc, CompiledExtProc> = {
  compile: compileExtProc,

  request: (exchange, policy, services) =>
    whenReady(prepareRequest(exchange, policy.request.readsBody), (prepared) =>
      processRequest(prepared, policy, services),
    ),

  response: (exchange, policy, answer) => {
    const conversation = policy.conversations.get(exchange.cancellation);
    // EXTPROC-021: a processor that failed open on the request does not see the answer either.
    if (conversation === undefined) return answer;
    if (conversation.immediate !== undefined) {
      answer.body?.cancel();
      return immediateAnswer(conversation.immediate);
    }
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

/** `traffic.extProc`, plain or conditional (COND-008). docs/decisions/external-processing.md */
export const extProc = conditional(plain);
