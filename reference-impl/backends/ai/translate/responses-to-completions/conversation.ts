import { asList, asObjects, asString, isJson, present } from '../../../json.ts';
import type { Json } from '../../../json.ts';
import { UnsupportedByFormat } from '../translation.ts';

/** Instructions and input as messages; a call of a tool joins the message of the model before it. */
export function conversation(instructions: unknown, input: unknown): readonly Json[] {
  const told = asString(instructions);
  const list: Json[] = told === undefined ? [] : [{ role: 'developer', content: told }];
  let made: readonly Json[] = [];
  const tellMade = (): void => {
    if (made.length > 0) list.push({ role: 'user', content: made });
    made = [];
  };
  for (const item of itemsOf(input)) {
    const message = messageOf(item);
    if (message === undefined) continue;
    // A tool message has only text: pictures that tools made come after the results of all.
    if (message['role'] !== 'tool') tellMade();
    made = [...made, ...(message['role'] === 'tool' ? asObjects(item['output']).map(inputPart).filter(isNoText) : [])];
    const last = list.at(-1);
    const joins = message['tool_calls'] !== undefined && last?.['role'] === 'assistant';
    if (joins)
      list[list.length - 1] = {
        ...last,
        tool_calls: [...asList(last['tool_calls']), ...asList(message['tool_calls'])],
      };
    else list.push(message);
  }
  tellMade();
  return list;
}

function itemsOf(input: unknown): readonly Json[] {
  return typeof input === 'string'
    ? [{ role: 'user', content: [{ type: 'input_text', text: input }] }]
    : asObjects(input);
}

function isNoText({ type }: Json): boolean {
  return type !== 'text';
}

/** Undefined for what has no counterpart and is not missed: reasoning, and calls that the provider answered itself. */
function messageOf(item: Json): Json | undefined {
  const type = asString(item['type']);
  if (type === undefined || type === 'message') return textMessage(item);
  if (type === 'function_call') return callMessage(item, item['arguments']);
  if (type === 'custom_tool_call') return callMessage(item, item['input']);
  if (type === 'function_call_output' || type === 'custom_tool_call_output') return resultMessage(item);
  if (NOT_MISSED.has(type)) return undefined;
  throw new UnsupportedByFormat(`${type} has no counterpart in chat completions`);
}

const NOT_MISSED: ReadonlySet<string> = new Set([
  'reasoning',
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_call',
  'mcp_list_tools',
  'mcp_approval_request',
]);

function textMessage(item: Json): Json {
  const role = asString(item['role']) ?? '';
  const { content } = item;
  if (role === 'assistant') return { role, content: assistantText(content) };
  // A system message without a type is the short way to write what is now called developer.
  const told = role === 'system' && item['type'] === undefined ? 'developer' : role;
  return { role: told, content: typeof content === 'string' ? content : asObjects(content).map(inputPart) };
}

function assistantText(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = asObjects(content).map((part) => asString(part['text']) ?? asString(part['refusal']));
  return texts.filter((text) => text !== undefined).join('\n');
}

/** Text, and media that are in the request or have a URL where the other format takes one; the provider's own are not there. */
function inputPart(part: Json): Json {
  const { type, filename, file_data: data, input_audio: audio } = part;
  const text = asString(part['text']);
  if (text !== undefined) return { type: 'text', text };
  const url = type === 'input_image' ? asString(part['image_url']) : undefined;
  if (url !== undefined) return { type: 'image_url', image_url: present({ url, detail: part['detail'] ?? undefined }) };
  if (type === 'input_file' && typeof data === 'string')
    return { type: 'file', file: present({ filename: asString(filename), file_data: data }) };
  if (type === 'input_audio' && isJson(audio)) return { type, input_audio: audio };
  const kept = KEPT_ELSEWHERE.find((member) => part[member] !== undefined);
  throw new UnsupportedByFormat(
    `content of type ${asString(type) ?? ''}${kept === undefined ? '' : ` by ${kept}`} has no counterpart in chat completions`,
  );
}

const KEPT_ELSEWHERE = ['file_id', 'file_url'];

function callMessage(item: Json, written: unknown): Json {
  const called = { name: item['name'], arguments: asString(written) ?? '' };
  return { role: 'assistant', tool_calls: [{ id: item['call_id'] ?? item['id'], type: 'function', function: called }] };
}

function resultMessage(item: Json): Json {
  const { output } = item;
  const parts = asObjects(output).map(inputPart);
  const texts = parts.filter((part) => part['type'] === 'text');
  const told = typeof output === 'string' ? output : texts;
  return { role: 'tool', tool_call_id: item['call_id'], content: told.length === 0 ? '' : told };
}
