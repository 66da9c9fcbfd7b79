import { editEach, withMember } from '../formats/edit-text.ts';
import type { Format, FormatName } from '../formats/format.ts';
import { asList, asObject, asString, type Json } from '../json.ts';

/**
 * What a piece of text in an event becomes. Pieces of one channel (a choice, a block) follow each other; an event that
 * `repeats` has all of its channel once more.
 */
export type EditPiece = (text: string, channel: string, repeats: boolean) => string;

/** The event with its pieces of text edited; the same object when they stay as they are. Other formats have none. */
export function editEventTexts({ name }: Format, event: Json, edit: EditPiece): Json {
  return EDITORS[name]?.(event, edit) ?? event;
}

type Editor = (event: Json, edit: EditPiece) => Json;

const EDITORS: Partial<Record<FormatName, Editor>> = {
  completions: (event, edit) =>
    withList(event, 'choices', (choice) =>
      within(choice, 'delta', (delta) => withText(delta, 'content', (text) => edit(text, indexOf(choice), false))),
    ),
  messages: (event, edit) => {
    const piece = (text: string): string => edit(text, indexOf(event), false);
    const begun = within(event, 'content_block', (block) => withText(block, 'text', piece));
    return within(begun, 'delta', (delta) => withText(delta, 'text', piece));
  },
  responses: editResponses,
};

/** Every text is said in pieces, then as a whole, then again in what it is part of. */
function editResponses(event: Json, edit: EditPiece): Json {
  const { type } = event;
  const channel = `${indexOf(event, 'output_index')}/${indexOf(event, 'content_index')}`;
  if (type === 'response.output_text.delta') return withText(event, 'delta', (text) => edit(text, channel, false));
  if (type === 'response.output_text.done') return withText(event, 'text', (text) => edit(text, channel, true));
  const part = within(event, 'part', (one) => editPart(one, channel, edit));
  const item = within(part, 'item', (one) => editItem(one, indexOf(event, 'output_index'), edit));
  return within(item, 'response', (response) =>
    withList(response, 'output', (one, index) => editItem(one, String(index), edit)),
  );
}

function editItem(item: Json, output: string, edit: EditPiece): Json {
  return withList(item, 'content', (part, index) => editPart(part, `${output}/${index}`, edit));
}

function editPart(part: Json, channel: string, edit: EditPiece): Json {
  return part['type'] === 'output_text' ? withText(part, 'text', (text) => edit(text, channel, true)) : part;
}

function withText(object: Json, member: string, edit: (text: string) => string): Json {
  const text = asString(object[member]);
  return text === undefined ? object : withMember(object, member, edit(text));
}

function within(object: Json, member: string, edit: (inner: Json) => Json): Json {
  const inner = asObject(object[member]);
  return inner === undefined ? object : withMember(object, member, edit(inner));
}

function withList(object: Json, member: string, edit: (element: Json, index: number) => Json): Json {
  if (!Array.isArray(object[member])) return object;
  return withMember(object, member, editEach(asList(object[member]), edit));
}

/** The place that an event or a choice names; the first one when it names none. */
function indexOf(object: Json, member = 'index'): string {
  const index = object[member];
  return typeof index === 'number' ? String(index) : '0';
}
