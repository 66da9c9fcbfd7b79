import { asObjects, asString } from '../../json.ts';

/** What is said in the content of a completion, or of a piece of one: a text, or a list of parts. What was thought is not. */
export function replyText(content: unknown): string {
  if (typeof content === 'string') return content;
  return asObjects(content)
    .map((part) => asString(part['text']) ?? '')
    .join('');
}
