import { asList, asObject, asObjects, asString, isJson } from '../json.ts';
import type { Json } from '../json.ts';

/** The blocks of content that may be written as a string. */
export function blocksOf(content: unknown): readonly Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : asObjects(content);
}

/** The URL of an image block, a data URL when its bytes are in the request; undefined when it is a file of the provider. */
export function imageUrl(block: Json): string | undefined {
  const source = asObject(block['source']);
  if (source?.['type'] === 'url') return asString(source['url']);
  if (source?.['type'] !== 'base64') return undefined;
  return `data:${asString(source['media_type']) ?? ''};base64,${asString(source['data']) ?? ''}`;
}

/** The opposite of `imageUrl`. */
export function imageBlock(url: string): Json {
  const data = /^data:([^;,]+);base64,(.*)$/s.exec(url);
  if (data === null) return { type: 'image', source: { type: 'url', url } };
  return { type: 'image', source: { type: 'base64', media_type: data[1], data: data[2] } };
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
