import type { Asked, Seat } from '../asked.ts';
import type { Message, Request, Response } from '../message.ts';
import { say } from '../say.ts';
import { LOG_LEVEL, metaIn } from './meta.ts';

/*
 * What a server says before it answers, where the client has no session: nobody is asked anything, since its answer would reach nobody. Where
 * it speaks the revision without sessions, only what is about the request comes with the response.
 */

/** Whether the client is told. A server with sessions that asks something gets an answer from here. */
export async function isForClient(asked: Asked, seat: Seat, message: Message): Promise<boolean> {
  if (message.kind === 'response') return true;
  if (message.kind === 'request') {
    await answer(asked, seat, message);
    return false;
  }
  if (asked.perRequest !== true) return true;
  if (message.method === 'notifications/message') return metaIn(asked.message, LOG_LEVEL) !== undefined;
  return !OF_SUBSCRIPTIONS.has(message.method);
}

/** What only who subscribed to it hears. */
const OF_SUBSCRIPTIONS: ReadonlySet<string> = new Set([
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
]);

const NOBODY_TO_ASK = 'the client speaks a revision in which servers ask nothing';
const NOWHERE_TO_ANSWER = 'the client has no session in which it could answer';

async function answer(asked: Asked, seat: Seat, { id, method }: Request): Promise<void> {
  const message = asked.perRequest === true ? NOBODY_TO_ASK : NOWHERE_TO_ANSWER;
  const outcome: Response['outcome'] = method === 'ping' ? { result: {} } : { error: { code: -32_601, message } };
  const sent = await say(asked, seat, { kind: 'response', id, outcome });
  if (sent.kind === 'speaks') sent.messages.cancel();
  if (sent.kind === 'refuses') sent.answer.body?.cancel();
}
