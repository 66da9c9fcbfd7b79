import { asObjects, isJson } from '../../../json.ts';
import type { Json } from '../../../json.ts';
import { dataUrl } from '../data-url.ts';
import { UnsupportedByFormat } from '../translation.ts';

/** One message of Converse; its content is objects with one member each, named as what they are. */
export interface Turn {
  readonly role: string;
  readonly content: readonly Json[];
}

/** Converse wants the roles in turn: what one side says in several messages becomes one. Empty messages are left out. */
export function mergedTurns(turns: readonly Turn[]): readonly Turn[] {
  const merged: Turn[] = [];
  for (const { role, content } of turns) {
    const last = merged.at(-1);
    if (content.length === 0) continue;
    if (last?.role === role) merged[merged.length - 1] = { role, content: [...last.content, ...content] };
    else merged.push({ role, content });
  }
  return merged;
}

/** Blank text is no content: the provider refuses it. */
export function textContent(text: string): readonly Json[] {
  return text.trim() === '' ? [] : [{ text }];
}

/** Throws UnsupportedByFormat for a picture that is not in the request itself. */
export function imageContent(url: string): Json {
  const { mediaType = '', base64 } = dataUrl(url) ?? {};
  const [, subtype] = /^image\/([a-z]+)$/.exec(mediaType) ?? [];
  if (subtype === undefined || base64 === undefined) {
    throw new UnsupportedByFormat('converse takes pictures only as base64 data URLs');
  }
  return { image: { format: subtype === 'jpg' ? 'jpeg' : subtype, source: { bytes: base64 } } };
}

/** A document in the request itself; `bytes` in base64. The provider wants a plain name for each. */
export function documentContent(format: string, title: string | undefined, bytes: string): Json {
  return { document: { format, name: plainName(title ?? ''), source: { bytes } } };
}

const LONGEST_NAME = 200;

function plainName(title: string): string {
  const plain = title.replaceAll(/[^A-Za-z0-9 \-()[\]]/g, '-').replaceAll(/ {2,}/g, ' ');
  return plain.slice(0, LONGEST_NAME).trim() || 'document';
}

/** The turns with no name for two documents, also in results of tools: the provider refuses that. */
export function withNamesApart(turns: readonly Turn[]): readonly Turn[] {
  const taken = new Set<string>();
  const apart = (part: Json): Json => {
    const { document, toolResult } = part;
    if (isJson(toolResult))
      return { toolResult: { ...toolResult, content: asObjects(toolResult['content']).map(apart) } };
    if (!isJson(document)) return part;
    const name = freeName(String(document['name']), taken);
    taken.add(name);
    return { document: { ...document, name } };
  };
  return turns.map(({ role, content }) => ({ role, content: content.map(apart) }));
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  for (let number = 2, name = wanted; ; number += 1) {
    if (!taken.has(name)) return name;
    const ending = ` (${number})`;
    name = `${wanted.slice(0, LONGEST_NAME - ending.length)}${ending}`;
  }
}

/** `signature` proves to the provider that the thoughts are its own. */
export function reasoningContent(text: string, signature: string): Json {
  return { reasoningContent: { reasoningText: { text, signature } } };
}

/** Arguments that are no object are none. */
export function toolUseContent(toolUseId: unknown, name: string, input: unknown): Json {
  return { toolUse: { toolUseId, name, input: isJson(input) ? input : {} } };
}

export function toolResultContent(toolUseId: unknown, content: readonly Json[], failed: boolean): Json {
  return { toolResult: { toolUseId, content, ...(failed ? { status: 'error' } : {}) } };
}
