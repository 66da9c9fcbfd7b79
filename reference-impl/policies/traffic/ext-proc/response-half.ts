import { whenOver } from '../../../base/when-over.ts';
import { bodyBehind } from '../../../exchange/body-behind.ts';
import type { Answer, ProcessAnswer, Received } from '../../../exchange/exchange.ts';
import { refusalFor } from '../../../exchange/refusal.ts';
import { prepareAnswer, whenReady, type PreparedAnswer } from '../../expression-input.ts';
import type { CompiledExtProc } from './compiled.ts';
import { envelopes } from './context.ts';
import type { Conversation } from './conversation.ts';
import { RESPONSE } from './direction.ts';
import { processorFailure } from './failure.ts';
import { immediateAnswer } from './immediate.ts';
import { processMessage } from './process-message.ts';
import type { Speech } from './speech.ts';

/** Goes on with the conversation about a request when its answer comes. */
export function answerProcessor(policy: CompiledExtProc, conversation: Conversation): ProcessAnswer {
  return (exchange, answer) => {
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
      showAnswer(exchange, prepared, policy, conversation),
    );
  };
}

/** Nothing fails open here. */
async function showAnswer(
  exchange: Received,
  { answer, variables }: PreparedAnswer,
  policy: CompiledExtProc,
  conversation: Conversation,
): Promise<Answer> {
  const { attributes } = policy.response;
  const body = bodyBehind(answer);
  const protocolConfig = conversation.opened ? undefined : policy.protocolConfig;
  const speech: Speech<Answer> = {
    conversation,
    direction: RESPONSE,
    envelope: envelopes({ ...policy, attributes, variables, protocolConfig }),
    loan: { body },
    mayFail: () => false,
  };
  try {
    const { message } = await processMessage(speech, { ...answer, body }, policy.allowModeOverride);
    // A request that is still on its way when its answer is over is of no interest any more.
    const close = (): void => {
      conversation.close();
    };
    const shown = conversation.over === undefined ? whenOver(message.body, close) : message.body;
    return { ...message, body: answer.takeOver === undefined ? shown : answer.body };
  } catch (error) {
    answer.body?.cancel();
    if (conversation.immediate !== undefined) return immediateAnswer(conversation.immediate);
    conversation.cancel();
    return refusalFor(processorFailure(error, exchange));
  }
}
