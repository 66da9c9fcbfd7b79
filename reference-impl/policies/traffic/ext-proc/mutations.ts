import { Buffer } from 'node:buffer';
import type { HeaderMap } from '../../../base/headers.ts';
import type { HeaderMutation } from '../../../upstream/wire/ext_proc_pb.js';
import { HeaderValueOption_HeaderAppendAction as Action } from '../../../upstream/wire/http_pb.js';
import type { HeaderValueOption } from '../../../upstream/wire/http_pb.js';
import type { Editor } from '../../edit-headers.ts';

/** EXTPROC-002: the message with the fields the processor wants, first what it removes, then what it sets. */
export function mutated<Message extends { readonly headers: HeaderMap }>(
  message: Message,
  editor: Editor<Message>,
  mutation: HeaderMutation | undefined,
): Message {
  if (mutation === undefined) return message;
  let edited = message;
  for (const name of mutation.removeHeaders) edited = editor.remove(edited, name);
  for (const option of mutation.setHeaders) edited = apply(edited, editor, option);
  return edited;
}

/** The length the processor says its body has; undefined when it says nothing. */
export function claimedLength(mutation: HeaderMutation | undefined): string | undefined {
  const option = mutation?.setHeaders.findLast(({ header }) => header?.key.toLowerCase() === 'content-length');
  return option === undefined ? undefined : valueOf(option);
}

/** Trailers are fields without a message around them. */
export const trailerEditor: Editor<{ readonly headers: HeaderMap }> = {
  set: ({ headers }, name, value) => ({ headers: headers.set(name, value) }),
  add: ({ headers }, name, value) => ({ headers: headers.add(name, value) }),
  remove: ({ headers }, name) => ({ headers: headers.remove(name) }),
};

function apply<Message extends { readonly headers: HeaderMap }>(
  message: Message,
  editor: Editor<Message>,
  option: HeaderValueOption,
): Message {
  const name = option.header?.key ?? '';
  if (!FIELD_NAME.test(name)) return message;
  const value = valueOf(option);
  const there = message.headers.has(name);
  switch (actionOf(option)) {
    case Action.APPEND_IF_EXISTS_OR_ADD:
      return editor.add(message, name, value);
    case Action.ADD_IF_ABSENT:
      return there ? message : editor.add(message, name, value);
    case Action.OVERWRITE_IF_EXISTS:
      return there ? editor.set(message, name, value) : message;
    case Action.OVERWRITE_IF_EXISTS_OR_ADD:
    default:
      // An action of a later version of the protocol is taken for the plainest.
      return editor.set(message, name, value);
  }
}

/** A token, or a pseudo-header. */
const FIELD_NAME = /^:?[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** `append` is the older way to say it and wins where it is set. */
function actionOf({ append, appendAction }: HeaderValueOption): Action {
  if (append === undefined) return appendAction;
  return append ? Action.APPEND_IF_EXISTS_OR_ADD : Action.OVERWRITE_IF_EXISTS_OR_ADD;
}

function valueOf({ header }: HeaderValueOption): string {
  if (header === undefined) return '';
  return header.rawValue.byteLength > 0 ? Buffer.from(header.rawValue).toString('latin1') : header.value;
}
