import type { PromptText } from '../formats/format.ts';
import { asList, asNumber, asObject, asString, type Json } from '../../json.ts';
import { GuardFailure, PASS, type Question, type Verdict } from './guard.ts';

/**
 * What a webhook decided: `{"action": …}`, where the shape of the action says what is meant. Throws a
 * GuardFailure for a shape that says nothing.
 */
export function webhookVerdict(reply: Json, { phase, texts }: Question): Verdict {
  const action = asObject(reply['action']);
  if (action === undefined) throw new GuardFailure('the reply of the webhook has no action');
  const { body } = action;
  if (body === undefined || body === null) return PASS;
  if (typeof body === 'string') return rejectWith(body, action['status_code']);
  const masks = asObject(body) ?? {};
  if (phase === 'request') return { kind: 'mask', texts: messages(masks['messages']) };
  const choices = messages(asList(masks['choices']).map((choice) => asObject(choice)?.['message']));
  // Another number of choices would be another reply.
  if (choices.length !== texts.length) throw new GuardFailure('the webhook masked another number of choices');
  return { kind: 'mask', texts: choices };
}

function rejectWith(message: string, status: unknown): Verdict {
  const code = asNumber(status);
  if (code === undefined || !Number.isInteger(code) || code < 200 || code > 599) {
    throw new GuardFailure('the webhook rejects without a status');
  }
  return { kind: 'reject', status: code, message };
}

function messages(value: unknown): readonly PromptText[] {
  const list = asList(value).map((message) => {
    const { role, content } = asObject(message) ?? {};
    const text = asString(content);
    if (text === undefined) throw new GuardFailure('the webhook masked with something that is no message');
    return { role: asString(role) ?? '', text };
  });
  if (list.length === 0) throw new GuardFailure('the webhook masked with no message');
  return list;
}
