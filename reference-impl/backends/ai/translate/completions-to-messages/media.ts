import { Buffer } from 'node:buffer';
import { asObject, asString, present, type Json } from '../../../json.ts';
import { dataUrl } from '../data-url.ts';
import { imageBlock } from '../messages-content.ts';
import { UnsupportedByFormat } from '../translation.ts';

/** A part of a user's message that is no text. Throws UnsupportedByFormat for what messages has no counterpart of. */
export function mediaBlock(part: Json): Json {
  const type = asString(part['type']) ?? '';
  const url = type === 'image_url' ? asString(asObject(part['image_url'])?.['url']) : undefined;
  if (url !== undefined) return imageBlock(url);
  if (type === 'file') return documentBlock(asObject(part['file']) ?? {});
  throw new UnsupportedByFormat(`content of type ${type} has no counterpart in messages`);
}

/** Documents in the request itself; files kept at another provider are not there. */
function documentBlock({ file_data: data, filename: title }: Json): Json {
  const file = dataUrl(asString(data) ?? '');
  const source = file && documentSource(file.mediaType, file.base64);
  if (source !== undefined) return present({ type: 'document', title: asString(title), source });
  throw new UnsupportedByFormat('messages takes files only as a data URL of PDF or text');
}

function documentSource(mediaType: string, base64: string): Json | undefined {
  if (mediaType === 'application/pdf') return { type: 'base64', media_type: mediaType, data: base64 };
  if (!mediaType.startsWith('text/')) return undefined;
  return { type: 'text', media_type: 'text/plain', data: Buffer.from(base64, 'base64').toString('utf8') };
}
