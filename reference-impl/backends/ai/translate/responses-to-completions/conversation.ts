import { asList, asObjects, asString, isJson, present } from '../../json.ts';
import type { Json } from '../../json.ts';
import { UnsupportedByFormat } from '../translation.ts';

/** Instructions and input as messages; a call of a tool joins the message of the model before it. */
export function conversation(instructions: unknown, input: unknown): readonly Json[] {
  const told = asString(instructions);
  const list: Json[] = told === undefined ? [] : [{ role: 'developer', content: told }];
  for (const item of itemsOf(input)) {
    const message = messageOf(item);
    if (message === undefined) continue;
    const last = list.at(-1);
    const joins = message['tool_calls'] !== undefined && last?.['role'] === 'assistant';
    if (joins)
      list[list.length - 1] = {
        ...last,
        tool_calls: [...asList(last['tool_calls']), ...asList(message['tool_calls'])],
      };
    else list.push(message);
  }
  return list;
}

function itemsOf(input: unknown): readonly Json[] {
  return typeof input === 'string'
    ? [{ role: 'user', content: [{ type: 'input_text', text: input }] }]
    : asObjects(input);
}

/** Undefined for what has no counterpart and is not missed: reasoning, and calls that the provider answered itself. */
function messageOf(item: Json): Json | undefined {
  const type = asString(item['type']);
  if (type === undefined || type === 'message') return textMessage(item);
  if (type === 'function_call') return callMessage(item, item['arguments']);
  if (type === 'custom_tool_call') return callMessage(item, item['input']);
  if (type === 'function_call_output' || type === 'custom_tool_call_output') return resultMessage(item);
  if (type === 'item_reference') throw new UnsupportedByFormat('item_reference has no counterpart in chat completions');
  return undefined;
}

function textMessage(item: Json): Json {
  const role = asString(item['role']) ?? '';
  const { content } = item;
  if (role === 'assistant') return { role, content: assistantText(content) };
  // A system message without a type is the short way to write what is now called developer.
  const told = role === 'system' && item['type'] === undefined ? 'developer' : role;
  return { role: told, content: typeof content === 'string' ? content : asObjects(content).flatMap(inputPart) };
}

function assistantText(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = asObjects(content).map((part) => asString(part['text']) ?? asString(part['refusal']));
  return texts.filter((text) => text !== undefined).join('\n');
}

/** Text and pictures that have a URL; files and pictures the provider keeps are left out. */
function inputPart(part: Json): readonly Json[] {
  const text = asString(part['text']);
  if (text !== undefined) return [{ type: 'text', text }];
  const url = part['type'] === 'input_image' ? asString(part['image_url']) : undefined;
  if (url === undefined) return [];
  return [{ type: 'image_url', image_url: present({ url, detail: part['detail'] ?? undefined }) }];
}

function callMessage(item: Json, written: unknown): Json {
  const called = { name: item['name'], arguments: asString(written) ?? '' };
  return { role: 'assistant', tool_calls: [{ id: item['call_id'] ?? item['id'], type: 'function', function: called }] };
}

function resultMessage(item: Json): Json {
  const { output } = item;
  const parts = asList(output).filter(isJson).flatMap(inputPart);
  const texts = parts.filter((part) => part['type'] === 'text');
  const told = typeof output === 'string' ? output : texts;
  return { role: 'tool', tool_call_id: item['call_id'], content: told.length === 0 ? '' : told };
}
