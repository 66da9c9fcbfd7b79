import { asObjects, asString, entryOf } from '../../../json.ts';
import type { Json } from '../../../json.ts';
import { blocksOf, imageUrl, pdfFile, wordsOf } from '../messages-content.ts';
import { UnsupportedByFormat } from '../translation.ts';

/** One message as input items, in the order of its blocks: neighbouring text and pictures are one item. */
export function messageItems(message: Json): readonly Json[] {
  const role = asString(message['role']) ?? '';
  if (role !== 'user' && role !== 'assistant' && role !== 'system') throw noCounterpart(`a message with role ${role}`);
  const items: Json[] = [];
  let content: Json[] = [];
  const flush = (): void => {
    if (content.length > 0) items.push({ type: 'message', role, content });
    content = [];
  };
  for (const block of blocksOf(message['content'])) {
    const own = entryOf(ITEMS, block['type']);
    if (own === undefined) {
      content.push(part(role, block));
      continue;
    }
    flush();
    items.push(own(block));
  }
  flush();
  return items;
}

/** A message of text blocks. */
export function textItem(role: string, blocks: readonly Json[]): Json {
  return { type: 'message', role, content: blocks.map((block) => part(role, block)) };
}

/** Blocks that are items of their own. */
const ITEMS: Readonly<Record<string, (block: Json) => Json>> = {
  tool_use: (block) => ({
    type: 'function_call',
    call_id: block['id'],
    name: block['name'],
    arguments: JSON.stringify(block['input'] ?? {}),
  }),
  tool_result: (block) => ({
    type: 'function_call_output',
    call_id: block['tool_use_id'],
    output: resultOutput(block['content']),
    status: block['is_error'] === true ? 'incomplete' : 'completed',
  }),
};

function resultOutput(content: unknown): unknown {
  if (content === undefined) return '';
  return typeof content === 'string' ? content : asObjects(content).map((block) => part('user', block));
}

function part(role: string, block: Json): Json {
  const text = wordsOf(block);
  if (text !== undefined) {
    return role === 'assistant' ? { type: 'output_text', text, annotations: [] } : { type: 'input_text', text };
  }
  const file = role === 'user' ? pdfFile(block) : undefined;
  if (file !== undefined) return { type: 'input_file', ...file };
  const url = block['type'] === 'image' ? imageUrl(block) : undefined;
  if (url === undefined || role !== 'user') throw noCounterpart(`content of type ${asString(block['type']) ?? ''}`);
  return { type: 'input_image', image_url: url, detail: 'auto' };
}

function noCounterpart(what: string): UnsupportedByFormat {
  return new UnsupportedByFormat(`${what} has no counterpart in responses`);
}
