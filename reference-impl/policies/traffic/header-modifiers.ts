import { CONTINUE } from '../../exchange/outcome.ts';
import type { HTTPHeaderFilter } from '../../resources/gateway-api/http-header-filter.ts';
import type { HeaderModifiers } from '../../resources/proxy-policy/fields/header-modifiers.ts';
import { answerEditor, requestEditor, type Editor } from '../edit-headers.ts';
import type { Policy } from '../policy.ts';

/** Edits header fields with literal values, of requests (TRAFFIC-007) and of answers (TRAFFIC-008). */
export const headerModifiers: Policy<HeaderModifiers, HeaderModifiers> = {
  compile: (field) => field,

  request: ({ request }, { request: filter }) => {
    if (filter === undefined) return CONTINUE;
    return { kind: 'change', request: modify(request, requestEditor, filter) };
  },

  response: (_, { response: filter }, answer) => (filter === undefined ? answer : modify(answer, answerEditor, filter)),
};

/** Order: add, then set, then remove. */
function modify<Message>(before: Message, editor: Editor<Message>, { add, set, remove }: HTTPHeaderFilter): Message {
  let message = before;
  for (const { name, value } of add ?? []) message = editor.add(message, name, value);
  for (const { name, value } of set ?? []) message = editor.set(message, name, value);
  for (const name of remove ?? []) message = editor.remove(message, name);
  return message;
}
