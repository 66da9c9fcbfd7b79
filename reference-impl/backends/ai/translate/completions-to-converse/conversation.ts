import { asObject, asObjects, asString, entryOf, parseObject } from '../../../json.ts';
import type { Json } from '../../../json.ts';
import { refuseRemains } from '../assistant-remains.ts';
import {
  documentContent,
  imageContent,
  mergedTurns,
  reasoningContent,
  textContent,
  toolResultContent,
  toolUseContent,
  withNamesApart,
  type Turn,
} from '../converse/content.ts';
import { dataUrl } from '../data-url.ts';
import type { ToolNames } from '../converse/tool-names.ts';
import { UnsupportedByFormat } from '../translation.ts';

/** What the operator says, which Converse keeps apart from the conversation. */
export function systemContent(messages: readonly Json[]): readonly Json[] {
  return messages.filter(isOperator).flatMap(({ content }) => textsOf(content).flatMap(textContent));
}

/** The messages of the user and of the model. Results of tools are told by the user. */
export function conversation(messages: readonly Json[], names: ToolNames): readonly Turn[] {
  const turns = messages.filter((message) => !isOperator(message)).map((message) => turn(message, names));
  return withNamesApart(mergedTurns(turns));
}

function isOperator({ role }: Json): boolean {
  return role === 'system' || role === 'developer';
}

function turn(message: Json, names: ToolNames): Turn {
  const role = asString(message['role']) ?? '';
  if (role === 'user') return { role, content: userContent(message['content']) };
  if (role === 'assistant') return { role, content: assistantContent(message, names) };
  if (role === 'tool') return { role: 'user', content: [toolResult(message)] };
  if (role === 'function') return { role: 'user', content: textsOf(message['content']).flatMap(textContent) };
  throw new UnsupportedByFormat(`a message with role ${role} has no counterpart in converse`);
}

function userContent(content: unknown): readonly Json[] {
  if (typeof content === 'string') return textContent(content);
  return asObjects(content).flatMap((part) => {
    const type = asString(part['type']) ?? '';
    if (type === 'text') return textContent(asString(part['text']) ?? '');
    if (type === 'image_url') return [imageContent(asString(asObject(part['image_url'])?.['url']) ?? '')];
    if (type === 'file') return [fileContent(asObject(part['file']) ?? {})];
    throw new UnsupportedByFormat(`content of type ${type} has no counterpart in converse`);
  });
}

/** Files kept at another provider are not there. */
function fileContent({ file_data: data, filename }: Json): Json {
  const file = dataUrl(asString(data) ?? '');
  const format = entryOf(DOCUMENTS, file?.mediaType);
  if (file !== undefined && format !== undefined) return documentContent(format, asString(filename), file.base64);
  throw new UnsupportedByFormat('converse takes files only as a data URL of PDF or text');
}

const DOCUMENTS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'text/plain': 'txt',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/markdown': 'md',
};

/** Thoughts go back only with their proof, without which the provider refuses them. */
function assistantContent(message: Json, names: ToolNames): readonly Json[] {
  refuseRemains(message);
  const signature = asString(message['reasoning_signature']) ?? '';
  const thoughts = asString(message['reasoning_content']) ?? '';
  return [
    ...(signature === '' ? [] : [reasoningContent(thoughts, signature)]),
    ...[...textsOf(message['content']), ...textsOf(message['refusal'])].flatMap(textContent),
    ...asObjects(message['tool_calls']).map((call) => toolUse(call, names)),
  ];
}

function toolUse(call: Json, { sent }: ToolNames): Json {
  const called = asObject(call['function']);
  if (called === undefined) {
    throw new UnsupportedByFormat(`a tool call of type ${asString(call['type']) ?? ''} has no counterpart in converse`);
  }
  const input = parseObject(asString(called['arguments']) ?? '');
  return toolUseContent(call['id'], sent(asString(called['name']) ?? ''), input);
}

function toolResult(message: Json): Json {
  return toolResultContent(message['tool_call_id'], userContent(message['content']), false);
}

/** The texts of content that is a string or a list of parts; what a model refuses to say is text too. */
function textsOf(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content];
  return asObjects(content).flatMap((part) => asString(part['text']) ?? asString(part['refusal']) ?? []);
}
