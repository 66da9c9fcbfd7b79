import { asString, isJson } from '../../json.ts';
import type { Json } from '../../json.ts';

/** What a text becomes. Called once per text, in order; the same function collects texts and replaces them. */
export type EditText = (text: string, role: string) => string;

/** Which parts of a list are text, and what stands between them when they are read as one. */
export interface TextParts {
  readonly types: readonly string[];
  readonly separator: string;
}

/**
 * Content that is a string, or a list of parts in which neighbouring text parts count as one text. An edited run of
 * parts keeps only its last one, with the new text. Content that stays the same is returned as it is.
 */
export function editContent(content: unknown, role: string, parts: TextParts, edit: EditText): unknown {
  if (typeof content === 'string') return edit(content, role);
  if (!Array.isArray(content)) return content;
  const runs = runsOf(content, parts);
  const edited = runs.map((run) => editRun(run, role, parts.separator, edit));
  return edited.every((run, index) => run === runs[index]?.parts) ? content : edited.flat();
}

/** `list` with each element given to `edit`; the same list when nothing changed. */
export function editEach(list: readonly unknown[], edit: (element: Json, index: number) => Json): readonly unknown[] {
  const edited = list.map((element, index) => (isJson(element) ? edit(element, index) : element));
  return edited.every((element, index) => element === list[index]) ? list : edited;
}

/** `object` with `value` under `member`; the same object when that is what it has. */
export function withMember(object: Json, member: string, value: unknown): Json {
  return object[member] === value ? object : { ...object, [member]: value };
}

/** The texts that a function of `EditText` meets. */
export function collectTexts(visit: (edit: EditText) => unknown): readonly { role: string; text: string }[] {
  const texts: { role: string; text: string }[] = [];
  visit((text, role) => {
    texts.push({ role, text });
    return text;
  });
  return texts;
}

/** An edit that gives `texts` in turn; a text without a partner stays. */
export function replaceWith(texts: readonly string[]): EditText {
  let next = 0;
  return (text) => texts[next++] ?? text;
}

interface Run {
  readonly text: boolean;
  readonly parts: readonly unknown[];
}

function runsOf(content: readonly unknown[], { types }: TextParts): readonly Run[] {
  const runs: { text: boolean; parts: unknown[] }[] = [];
  for (const part of content) {
    const text = isJson(part) && types.includes(asString(part['type']) ?? '') && typeof part['text'] === 'string';
    const last = runs.at(-1);
    if (last?.text === text) last.parts.push(part);
    else runs.push({ text, parts: [part] });
  }
  return runs;
}

function editRun({ text, parts }: Run, role: string, separator: string, edit: EditText): readonly unknown[] {
  if (!text) return parts;
  const before = parts.map((part) => (isJson(part) ? asString(part['text']) : undefined) ?? '').join(separator);
  const after = edit(before, role);
  const last = parts.at(-1);
  return after === before || !isJson(last) ? parts : [{ ...last, text: after }];
}
