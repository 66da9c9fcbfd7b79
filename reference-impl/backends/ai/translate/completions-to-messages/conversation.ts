import { asObject, asObjects, asString, parseObject } from '../../../json.ts';
import type { Json } from '../../../json.ts';
import { refuseRemains } from '../assistant-remains.ts';
import { UnsupportedByFormat } from '../translation.ts';
import { mediaBlock } from './media.ts';

/** All texts of the operator, which messages keeps apart from the conversation. */
export function systemText(messages: readonly Json[]): string | undefined {
  const texts = messages.filter(isOperator).map(({ content }) => partTexts(content).join('\n'));
  return texts.length === 0 ? undefined : texts.join('\n');
}

/** The messages of the user and of the model. Results of tools and what the user says after them are one turn. */
export function conversation(messages: readonly Json[]): readonly Json[] {
  const turns: { readonly role: string; readonly content: Json[] }[] = [];
  for (const message of messages.filter((one) => !isOperator(one))) {
    const { role, content } = turn(message);
    const last = turns.at(-1);
    if (content.length === 0) continue;
    if (role === 'user' && last?.role === 'user' && last.content.every(isResult)) last.content.push(...content);
    else turns.push({ role, content: [...content] });
  }
  return turns;
}

function isOperator({ role }: Json): boolean {
  return role === 'system' || role === 'developer';
}

function isResult({ type }: Json): boolean {
  return type === 'tool_result';
}

function turn(message: Json): { readonly role: string; readonly content: readonly Json[] } {
  const role = asString(message['role']) ?? '';
  if (role === 'user') return { role, content: userBlocks(message['content']) };
  if (role === 'assistant') return { role, content: assistantBlocks(message) };
  if (role === 'tool') return { role: 'user', content: [toolResult(message)] };
  if (role === 'function') return { role: 'user', content: textBlocks(message['content']) };
  throw new UnsupportedByFormat(`a message with role ${role} has no counterpart in messages`);
}

function userBlocks(content: unknown): readonly Json[] {
  if (typeof content === 'string') return textBlocks(content);
  return asObjects(content).flatMap((part) =>
    part['type'] === 'text' ? textBlocks(part['text']) : [mediaBlock(part)],
  );
}

/** Thoughts go back only with their proof, without which the provider refuses them. */
function assistantBlocks(message: Json): readonly Json[] {
  refuseRemains(message);
  const signature = asString(message['reasoning_signature']) ?? '';
  const thinking = asString(message['reasoning_content']) ?? '';
  const texts = [...partTexts(message['content']), ...partTexts(message['refusal'])];
  return [
    ...(signature === '' ? [] : [{ type: 'thinking', thinking, signature }]),
    ...texts.flatMap(textBlocks),
    ...asObjects(message['tool_calls']).map(toolUse),
  ];
}

function toolUse(call: Json): Json {
  const called = asObject(call['function']);
  if (called === undefined) {
    throw new UnsupportedByFormat(`a tool call of type ${asString(call['type']) ?? ''} has no counterpart in messages`);
  }
  const input = parseObject(asString(called['arguments']) ?? '') ?? {};
  return { type: 'tool_use', id: call['id'], name: called['name'], input };
}

function toolResult(message: Json): Json {
  const { content } = message;
  const told = typeof content === 'string' ? content : userBlocks(content);
  return { type: 'tool_result', tool_use_id: message['tool_call_id'], content: told };
}

/** Blank text is no content: the provider refuses blocks of it. */
function textBlocks(content: unknown): readonly Json[] {
  return partTexts(content)
    .filter((text) => text.trim() !== '')
    .map((text) => ({ type: 'text', text }));
}

/** The texts of content that is a string or a list of parts; what a model refuses to say is text too. */
function partTexts(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content];
  return asObjects(content).flatMap((part) => asString(part['text']) ?? asString(part['refusal']) ?? []);
}
