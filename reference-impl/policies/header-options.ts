import { Buffer } from 'node:buffer';
import { type HeaderMap, isFieldValue } from '../base/headers.ts';
import { HeaderValueOption_HeaderAppendAction as Action, type HeaderValueOption } from '../upstream/wire/http_pb.js';
import type { Editor } from './edit-headers.ts';

/*
 * How a server of a policy says what becomes of a header field. External authorization and external processing speak
 * of it in the same message.
 */

interface Message {
  readonly headers: HeaderMap;
}

type Apply = <Edited extends Message>(message: Edited, name: string, value: string, editor: Editor<Edited>) => Edited;

const add: Apply = (message, name, value, editor) => editor.add(message, name, value);
const overwrite: Apply = (message, name, value, editor) => editor.set(message, name, value);

/** By append_action. Action 0 overwrites as long as the older flag `append` does not say otherwise. */
const ACTIONS: readonly Apply[] = [
  overwrite,
  (message, name, value, editor) => (message.headers.has(name) ? message : editor.set(message, name, value)),
  overwrite,
  (message, name, value, editor) => (message.headers.has(name) ? editor.set(message, name, value) : message),
];

/** The message with the field as the option wants it; one without a value, or one that cannot travel, changes nothing. */
export function withOption<Edited extends Message>(
  message: Edited,
  option: HeaderValueOption,
  editor: Editor<Edited>,
): Edited {
  const field = fieldOf(option);
  if (field === undefined) return message;
  const appends = option.appendAction === Action.APPEND_IF_EXISTS_OR_ADD && option.append === true;
  const apply = appends ? add : (ACTIONS[option.appendAction] ?? overwrite);
  return apply(message, field[0], field[1], editor);
}

/** Name and value; bytes win over text. Undefined when there is no value, or one that cannot travel. */
export function fieldOf({ header }: HeaderValueOption): readonly [name: string, value: string] | undefined {
  if (header === undefined || !FIELD_NAME.test(header.key)) return undefined;
  const value = header.rawValue.byteLength > 0 ? Buffer.from(header.rawValue).toString('latin1') : header.value;
  return value === '' || !isFieldValue(value) ? undefined : [header.key, value];
}

/** A token, or a pseudo-header. */
const FIELD_NAME = /^:?[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
