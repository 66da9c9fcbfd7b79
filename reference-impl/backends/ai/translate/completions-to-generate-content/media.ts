import { asObject, asString, entryOf, type Json } from '../../../json.ts';
import { dataUrl } from '../data-url.ts';
import { UnsupportedByFormat } from '../translation.ts';

/** A part of a user's message that is no text. Throws UnsupportedByFormat for what the provider cannot be given. */
export function mediaPart(part: Json): Json {
  const type = asString(part['type']) ?? '';
  const read = entryOf(READERS, type);
  if (read === undefined) throw new UnsupportedByFormat(`content of type ${type} has no counterpart at the provider`);
  return read(asObject(part[type]) ?? {});
}

const READERS: Readonly<Record<string, (media: Json) => Json>> = {
  image_url: (image) => mediaAt(asString(image['url']) ?? '', image),
  input_audio: ({ data, format }) => ({ inlineData: { mimeType: `audio/${asString(format) ?? 'wav'}`, data } }),
  file: (file) => mediaAt(asString(file['file_data']) ?? '', file),
};

function mediaAt(url: string, hints: Json): Json {
  const inline = dataUrl(url);
  if (inline !== undefined) return { inlineData: { mimeType: mimeSpelling(inline.mediaType), data: inline.base64 } };
  // The provider fetches nothing from the web.
  if (!url.startsWith('gs://')) throw new UnsupportedByFormat('media must be a data URL or a gs:// address');
  return { fileData: { mimeType: mimeType(url, hints), fileUri: url } };
}

function mimeType(url: string, hints: Json): string {
  const hint = HINTS.map((member) => asString(hints[member])).find((value) => value !== undefined);
  const extension = /\.([a-z0-9]+)$/i.exec(url)?.[1]?.toLowerCase();
  const type = hint ?? entryOf(TYPES, extension);
  if (type === undefined) throw new UnsupportedByFormat('the type of a file at gs:// is not known');
  return mimeSpelling(type);
}

const HINTS = ['format', 'mime_type', 'content_type'];

const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  heic: 'image/heic',
  heif: 'image/heif',
  pdf: 'application/pdf',
  mp3: 'audio/mp3',
  wav: 'audio/wav',
  mp4: 'video/mp4',
};

function mimeSpelling(type: string): string {
  return type === 'image/jpg' ? 'image/jpeg' : type;
}
