import { Buffer } from 'node:buffer';
import { asObject, asObjects, asString, entryOf } from '../../../json.ts';
import type { Json } from '../../../json.ts';
import {
  documentContent,
  imageContent,
  reasoningContent,
  textContent,
  toolResultContent,
  toolUseContent,
} from '../converse/content.ts';
import type { ToolNames } from '../converse/tool-names.ts';
import { imageUrl, wordsOf } from '../messages-content.ts';
import { UnsupportedByFormat } from '../translation.ts';

/** A block of a message for Converse. Throws UnsupportedByFormat for one that has no counterpart. */
export function converseContent(block: Json, names: ToolNames): readonly Json[] {
  const make = entryOf(BLOCKS, block['type']);
  if (make !== undefined) return make(block, names);
  throw new UnsupportedByFormat(`content of type ${asString(block['type']) ?? ''} has no counterpart in converse`);
}

const BLOCKS: Readonly<Record<string, (block: Json, names: ToolNames) => readonly Json[]>> = {
  text: ({ text }) => textContent(asString(text) ?? ''),
  image: (block) => [imageContent(imageUrl(block) ?? '')],
  document: (block) => [documentOf(block)],
  search_result: (block) => textContent(wordsOf(block) ?? ''),
  thinking: ({ thinking, signature }) => [reasoningContent(asString(thinking) ?? '', asString(signature) ?? '')],
  redacted_thinking: ({ data }) => [{ reasoningContent: { redactedContent: data } }],
  tool_use: ({ id, name, input }, { sent }) => [toolUseContent(id, sent(asString(name) ?? ''), input)],
  tool_result: ({ tool_use_id: id, content, is_error: failed }, names) => [
    toolResultContent(id, resultContent(content, names), failed === true),
  ],
};

function resultContent(content: unknown, names: ToolNames): readonly Json[] {
  if (typeof content === 'string') return textContent(content);
  return asObjects(content).flatMap((block) => converseContent(block, names));
}

/** Documents in the request itself. */
function documentOf({ source, title }: Json): Json {
  const { type, media_type: mediaType, data } = asObject(source) ?? {};
  const text = asString(data);
  const name = asString(title);
  if (text !== undefined && type === 'text') {
    return documentContent('txt', name, Buffer.from(text).toString('base64'));
  }
  if (text !== undefined && type === 'base64' && mediaType === 'application/pdf') {
    return documentContent('pdf', name, text);
  }
  throw new UnsupportedByFormat('converse takes documents only as text or PDF within the request');
}
