import { isJson, type Json } from '../../json.ts';

/** What is wrong with a request that has to name a model and hold messages with roles; undefined when nothing is. */
export function conversationProblem({ model, messages }: Json): string | undefined {
  if (typeof model !== 'string') return 'missing field: model not specified';
  if (!Array.isArray(messages)) return 'missing field: messages';
  if (messages.length === 0) return 'messages has no message';
  const wrong = messages.findIndex((message) => !isJson(message) || typeof message['role'] !== 'string');
  return wrong === -1 ? undefined : `messages[${wrong}] is not a message with a role`;
}
