import type { HeaderMap } from '../../../base/headers.ts';
import type { HeaderMutation } from '../../../upstream/wire/ext_proc_pb.js';
import type { Editor } from '../../edit-headers.ts';
import { fieldOf, withOption } from '../../header-options.ts';

/** EXTPROC-002: the message with the fields the processor wants, first what it removes, then what it sets. */
export function mutateFields<Message extends { readonly headers: HeaderMap }>(
  message: Message,
  editor: Editor<Message>,
  mutation: HeaderMutation | undefined,
): Message {
  if (mutation === undefined) return message;
  let edited = message;
  for (const name of mutation.removeHeaders) edited = editor.remove(edited, name);
  for (const option of mutation.setHeaders) edited = withOption(edited, option, editor);
  return edited;
}

/** The length the processor says its body has; undefined when it says nothing. */
export function claimedLength(mutation: HeaderMutation | undefined): string | undefined {
  const option = mutation?.setHeaders.findLast(({ header }) => header?.key.toLowerCase() === 'content-length');
  return option === undefined ? undefined : (fieldOf(option)?.[1] ?? '');
}

/** Trailers are fields without a message around them. */
export const trailerEditor: Editor<{ readonly headers: HeaderMap }> = {
  set: ({ headers }, name, value) => ({ headers: headers.set(name, value) }),
  add: ({ headers }, name, value) => ({ headers: headers.add(name, value) }),
  remove: ({ headers }, name) => ({ headers: headers.remove(name) }),
};
