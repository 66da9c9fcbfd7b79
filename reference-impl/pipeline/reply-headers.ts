import type { Answer, Received } from '../exchange/exchange.ts';
import { answerEditor } from '../policies/edit-headers.ts';

/** The answer with the fields that policies of the request side want on it, whoever gives the answer. */
export function withReplyHeaders({ handover }: Received, answer: Answer): Answer {
  const { replyHeaders = [] } = handover;
  return replyHeaders.reduce((now, [name, value]) => answerEditor.set(now, name, value), answer);
}
