import { asList, asObject, asObjects, asString, isJson } from '../../json.ts';
import type { Json } from '../../json.ts';
import { dataUrl } from './data-url.ts';
import { UnsupportedByFormat } from './translation.ts';

/** A conversation that the provider keeps: without what was said there the answer would be to another question. Throws UnsupportedByFormat. */
export function refuseContinued(request: Json): void {
  if (asObject(request['thread'])?.['type'] === 'continue')
    throw new UnsupportedByFormat('a thread that goes on has no counterpart outside of messages');
}

/** The blocks of content that may be written as a string. */
export function blocksOf(content: unknown): readonly Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : asObjects(content);
}

/** What a block says in words: text, a document that is text, a result of a search. Undefined when it has other content. */
export function wordsOf(block: Json): string | undefined {
  const { type, title, source } = block;
  if (type === 'text') return asString(block['text']) ?? '';
  if (type === 'search_result')
    return joinLines([title, source, ...asObjects(block['content']).map(({ text }) => text)]);
  const held = type === 'document' ? asObject(source) : undefined;
  const words = held?.['type'] === 'text' ? held['data'] : held?.['type'] === 'content' ? held['content'] : undefined;
  return typeof words === 'string' ? joinLines([title, block['context'], words]) : undefined;
}

function joinLines(lines: readonly unknown[]): string {
  return lines.filter((line) => typeof line === 'string' && line !== '').join('\n');
}

/** A PDF in the request itself, as a file of the other formats of that vendor. */
export function pdfFile(block: Json): { readonly filename: string; readonly file_data: string } | undefined {
  const source = block['type'] === 'document' ? asObject(block['source']) : undefined;
  if (source?.['type'] !== 'base64' || source['media_type'] !== 'application/pdf') return undefined;
  const filename = asString(block['title']) ?? 'document.pdf';
  return { filename, file_data: `data:application/pdf;base64,${asString(source['data']) ?? ''}` };
}

/** The URL of an image block, a data URL when its bytes are in the request; undefined when it is a file of the provider. */
export function imageUrl(block: Json): string | undefined {
  const source = asObject(block['source']);
  if (source?.['type'] === 'url') return asString(source['url']);
  if (source?.['type'] !== 'base64') return undefined;
  return `data:${asString(source['media_type']) ?? ''};base64,${asString(source['data']) ?? ''}`;
}

/** The opposite of `imageUrl`. Throws UnsupportedByFormat for a URL that is neither in base64 nor one of the web. */
export function imageBlock(url: string): Json {
  const data = dataUrl(url);
  if (data !== undefined)
    return { type: 'image', source: { type: 'base64', media_type: data.mediaType, data: data.base64 } };
  if (/^https?:/i.test(url)) return { type: 'image', source: { type: 'url', url } };
  throw new UnsupportedByFormat('messages takes pictures as data URLs in base64, or by an address in the web');
}

/** Tools that the client runs; those that the provider would run have no counterpart elsewhere. */
export function clientTools(tools: unknown): readonly Json[] {
  return asList(tools)
    .filter((tool) => isJson(tool) && isJson(tool['input_schema']))
    .filter(isJson);
}

/** The schema the client wants the answer to follow. */
export function outputSchema(request: Json): Json | undefined {
  const format = asObject(asObject(request['output_config'])?.['format']);
  return format?.['type'] === 'json_schema' ? asObject(format['schema']) : undefined;
}

export function effort(request: Json): string | undefined {
  return asString(asObject(request['output_config'])?.['effort']);
}
