import { entryOf, isJson, parseJson, type Json } from '../../json.ts';
import { GuardFailure } from './guard.ts';
import type { Holds, TextTable } from './text-tables.ts';

/** A text, and where it stands. */
export interface FoundText {
  readonly text: string;
  /** Of the message it belongs to. */
  readonly role: string;
  readonly place: Place;
  /** Where one part of the text ends and the next begins: the place of each separator. */
  readonly seams?: readonly number[];
}

/** A member, or a place in a list, and where that stands; an element that has an `index` stands at that place. */
export interface Place {
  readonly step: string;
  readonly of: Place | undefined;
  /** How many steps lead here. */
  readonly level: number;
}

/** Members and places that lead to a text, the outermost first. */
export function pathTo({ step, of }: Place): readonly string[] {
  return of === undefined ? [step] : [...pathTo(of), step];
}

export type EditFound = (found: FoundText) => string;

/**
 * `body` with all the text in it edited, whatever shape it has; the same object when everything stays. Called once per
 * text, in an order that only the body decides. Text that is split over neighbouring parts is one text (with `joins`);
 * an edited run of parts keeps only its last one. Throws a GuardFailure for a body that is nested too deeply.
 */
export function editAllText(body: Json, options: EditOptions, edit: EditFound): Json {
  return editMembers(body, { ...options, edit, place: undefined, holds: undefined });
}

interface EditOptions {
  readonly table: TextTable;
  readonly role: string;
  readonly joins: boolean;
}

interface Walk extends EditOptions {
  readonly edit: EditFound;
  /** Undefined for the body itself. */
  readonly place: Place | undefined;
  /** What the whole neighbourhood holds; undefined where each member says it by its name. */
  readonly holds: Holds | undefined;
}

/** A walk that has left the body itself. */
interface Within extends Walk {
  readonly place: Place;
}

/** What a conversation begins with is judged first. */
const FIRST = ['system', 'instructions', 'messages', 'input'];

function editMembers(object: Json, walk: Walk, skipped?: string): Json {
  const role = typeof object['role'] === 'string' ? object['role'] : walk.role;
  const names = Object.keys(object).filter((name) => name !== skipped);
  const ordered =
    walk.place !== undefined
      ? names
      : [...FIRST.filter((name) => names.includes(name)), ...names.filter((name) => !FIRST.includes(name))];
  const changes = new Map<string, unknown>();
  for (const name of ordered) {
    const before = object[name];
    const holds = heldBy(name, object, walk);
    if (isSilent(before, holds)) continue;
    const after = editValue(before, { ...walk, role: roleOf(name, role), place: within(walk, name), holds });
    if (after !== before) changes.set(name, after);
  }
  return changes.size === 0 ? object : { ...object, ...Object.fromEntries(changes) };
}

/** What the operator says, in the formats that keep it apart from the conversation. */
const SYSTEM = ['system', 'instructions', 'tools', 'functions'];

function roleOf(name: string, role: string): string {
  return SYSTEM.includes(name) ? 'system' : role;
}

/** Members of a schema that no model reads as text. */
const SCHEMA_WORDS: ReadonlySet<string> = new Set(
  '$schema $id $ref $anchor $dynamicRef $dynamicAnchor type format pattern required contentEncoding contentMediaType'.split(
    ' ',
  ),
);

function heldBy(name: string, object: Json, { table, holds }: Walk): Holds | undefined {
  if (holds === 'schema') return SCHEMA_WORDS.has(name) && !isJson(object[name]) ? 'silent' : 'schema';
  if (holds !== undefined) return holds;
  const held = entryOf(table.members, name);
  if (held === 'text') return undefined;
  if (held !== 'data') return held;
  return object['type'] === 'text' ? undefined : 'silent';
}

/** No blank, and nothing beyond ASCII. */
const WORD = /^[!-~]*$/;

/** Whether nothing can stand in it that anybody reads. */
function isSilent(value: unknown, holds: Holds | undefined): boolean {
  if (typeof value === 'string') return value === '' || (holds === 'silent' && WORD.test(value));
  return typeof value === 'number' ? holds !== 'free' : typeof value !== 'object' || value === null;
}

function within({ place }: Walk, step: string): Place {
  return { step, of: place, level: (place?.level ?? 0) + 1 };
}

/** Levels of objects and lists; no request or reply of these formats needs a tenth of it. */
const MOST_LEVELS = 256;

function editValue(value: unknown, walk: Within): unknown {
  if (isSilent(value, walk.holds)) return value;
  if (walk.place.level > MOST_LEVELS) throw new GuardFailure('the body is nested too deeply to be judged');
  if (typeof value === 'string') return editString(value, walk);
  if (typeof value === 'number') return editNumber(value, walk);
  if (Array.isArray(value)) return editList(value, walk);
  return isJson(value) ? editMembers(value, walk) : value;
}

function editString(text: string, { edit, role, place, holds }: Within): string {
  if (holds !== 'json') return edit({ text, role, place });
  // Escapes would hide from a guard what the model is shown.
  const value = parseJson(text);
  const plain = value === undefined ? text : JSON.stringify(value);
  const edited = edit({ text: plain, role, place });
  return edited === plain ? text : edited;
}

function editNumber(value: number, { edit, role, place }: Within): unknown {
  const text = String(value);
  const edited = edit({ text, role, place });
  return edited === text ? value : edited;
}

function editList(list: readonly unknown[], walk: Within): readonly unknown[] {
  if (list.every(isToken)) return editTokens(list, walk);
  const runs = walk.joins ? runsOf(list) : list.map((element) => [element]);
  let at = 0;
  const edited = runs.map((run) => {
    const after = editRun(run, at, walk);
    at += run.length;
    return after;
  });
  return edited.every((run, index) => run === runs[index]) ? list : edited.flat();
}

interface Token extends Json {
  readonly token: string;
}

function isToken(element: unknown): element is Token {
  return isJson(element) && typeof element['token'] === 'string';
}

/** The tokens of an answer once more, with what else might have stood there: all of them go when one of them has to. */
function editTokens(tokens: readonly Token[], { edit, role, place }: Within): readonly unknown[] {
  const text = tokens.map(({ token }) => token).join('');
  return text === '' || edit({ text, role, place }) === text ? tokens : [];
}

/** Neighbouring parts with text in one run, every other element by itself. */
function runsOf(list: readonly unknown[]): readonly (readonly unknown[])[] {
  const runs: unknown[][] = [];
  let isOpen = false;
  for (const element of list) {
    const isPart = isTextPart(element);
    if (isPart && isOpen) runs.at(-1)?.push(element);
    else runs.push([element]);
    isOpen = isPart;
  }
  return runs;
}

function isTextPart(element: unknown): element is Json & { readonly text: string } {
  return isJson(element) && typeof element['text'] === 'string' && element['role'] === undefined;
}

function editRun(run: readonly unknown[], first: number, walk: Within): readonly unknown[] {
  const at = (index: number, element: unknown): Within => ({
    ...walk,
    place: within(walk, stepTo(element, first + index)),
  });
  const parts = run.filter(isTextPart);
  if (parts.length < 2) {
    const [element] = run;
    const after = editValue(element, at(0, element));
    return after === element ? run : [after];
  }
  const others = parts.map((part, index) => editMembers(part, at(index, part), 'text'));
  const { text, seams } = joined(parts, walk);
  const after = walk.edit({ text, role: walk.role, place: walk.place, seams });
  const last = others.at(-1);
  if (after !== text && last !== undefined) return [{ ...last, text: after }];
  return others.every((part, index) => part === parts[index]) ? run : others;
}

function joined(parts: readonly { readonly text: string }[], { table, role }: Walk): { text: string; seams: number[] } {
  const separator = role === 'system' ? '\n' : table.separator;
  const seams: number[] = [];
  let text = '';
  for (const [index, part] of parts.entries()) {
    if (index > 0) {
      seams.push(text.length);
      text += separator;
    }
    text += part.text;
  }
  return { text, seams };
}

/** The place that an element names, or the one where it stands. */
function stepTo(element: unknown, position: number): string {
  return isJson(element) && typeof element['index'] === 'number' ? String(element['index']) : String(position);
}
