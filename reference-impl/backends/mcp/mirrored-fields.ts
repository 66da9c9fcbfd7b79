import { Buffer } from 'node:buffer';
import type { HeaderMap } from '../../base/headers.ts';
import type { Message } from './message.ts';
import type { RefusalCode } from './refusals.ts';

/*
 * Fields that say what a message says, for whoever looks at no bodies. What the two of them say must be the same, or one
 * server would let pass what another one forbids.
 */

/** The fields of a message: its method, and the name, URI or task id it is about. An answer has none. */
export function mirroredFields(message: Message): readonly (readonly [name: string, value: string])[] {
  const { method, name } = mirrored(message);
  return [
    ...(method === undefined ? [] : [['mcp-method', fieldText(method)] as const]),
    ...(name === undefined ? [] : [['mcp-name', fieldText(name)] as const]),
  ];
}

export interface FieldProblem {
  readonly code: Extract<RefusalCode, 'fieldUnreadable' | 'fieldMismatch'>;
  readonly detail: string;
}

/**
 * Which field does not say what the message says, or undefined. With `required` a field that is missing is one that
 * cannot be read; without it only what is there is compared.
 */
export function fieldProblem(headers: HeaderMap, message: Message, required: boolean): FieldProblem | undefined {
  const { method, name } = mirrored(message);
  return fieldOf(headers, 'Mcp-Method', method, required) ?? fieldOf(headers, 'Mcp-Name', name, required);
}

/** A name that a field cannot carry goes in base64. */
export function fieldText(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith(OPENING);
  return isPlain ? text : `${OPENING}${Buffer.from(text).toString('base64')}${CLOSING}`;
}

interface Mirrored {
  readonly method: string | undefined;
  readonly name: string | undefined;
}

function mirrored(message: Message): Mirrored {
  if (message.kind === 'response') return { method: undefined, name: undefined };
  const name = message.params?.['name'] ?? message.params?.['uri'] ?? message.params?.['taskId'];
  return { method: message.method, name: typeof name === 'string' ? name : undefined };
}

function fieldOf(
  headers: HeaderMap,
  field: string,
  said: string | undefined,
  required: boolean,
): FieldProblem | undefined {
  const values = headers.getAll(field);
  if (said === undefined || (values.length === 0 && !required)) return undefined;
  const [value, second] = values.map(textIn);
  if (value === undefined || second !== undefined) return { code: 'fieldUnreadable', detail: field };
  return value === said ? undefined : { code: 'fieldMismatch', detail: field };
}

const OPENING = '=?base64?';
const CLOSING = '?=';

/** Undefined for base64 that is none. */
function textIn(value: string): string | undefined {
  if (!value.startsWith(OPENING) || !value.endsWith(CLOSING)) return value;
  const inner = value.slice(OPENING.length, -CLOSING.length);
  const bytes = Buffer.from(inner, 'base64');
  return bytes.toString('base64') === inner ? bytes.toString() : undefined;
}
