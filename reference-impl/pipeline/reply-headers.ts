import type { Answer, Received } from '../exchange/exchange.ts';
import { answerEditor } from '../policies/edit-headers.ts';

/** The answer with the fields that policies of the request side want on it, whoever gives the answer. */
export function withReplyHeaders({ handover }: Received, answer: Answer): Answer {
  const { replyHeaders = [] } = handover;
  return replyHeaders.reduce((now, [name, value]) => {
    return name === 'vary' ? varyingBy(now, value) : answerEditor.set(now, name, value);
  }, answer);
}

/** What an answer depends on is added to what the backend says of it. */
function varyingBy(answer: Answer, field: string): Answer {
  const known = answer.headers.get('vary');
  const names = (known ?? '').split(',').map((name) => name.trim().toLowerCase());
  if (names.includes('*') || names.includes(field.toLowerCase())) return answer;
  return answerEditor.set(answer, 'vary', known === undefined ? field : `${known}, ${field}`);
}
