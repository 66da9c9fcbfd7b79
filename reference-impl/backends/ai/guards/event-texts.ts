import type { Format, FormatName } from '../formats/format.ts';
import { asObject, type Json } from '../../json.ts';
import { editAllText, pathTo } from './edit-all-text.ts';
import { TEXT_TABLES } from './text-tables.ts';

/**
 * What a piece of text in an event becomes. Pieces of one channel (the text of a choice or block, its reasoning, the
 * arguments of a call) follow each other; an event that `repeats` has all of its channel once more.
 */
export type EditPiece = (text: string, channel: string, repeats: boolean) => string;

/** The event with its pieces of text edited; the same object when they stay as they are. Other formats have none. */
export function editEventTexts({ name }: Format, event: Json, edit: EditPiece): Json {
  const table = TEXT_TABLES[name];
  const channelIn = CHANNELS[name];
  if (table === undefined || channelIn === undefined) return event;
  return editAllText(event, { table, role: 'assistant', joins: false }, ({ text, place }) => {
    const channel = channelIn(event, pathTo(place));
    return channel === undefined ? text : edit(text, channel.name, channel.repeats);
  });
}

interface Channel {
  readonly name: string;
  readonly repeats: boolean;
}

/** The channel of the text that stands at `path` of an event; undefined for what is no text. */
type ChannelIn = (event: Json, path: readonly string[]) => Channel | undefined;

const CHANNELS: Partial<Record<FormatName, ChannelIn>> = {
  completions: (_, path) => ({ name: partOfChoice(path), repeats: false }),
  // What a block begins with and what is added to it later is one text.
  messages: (event, path) => ({ name: `${indexOf(event)}/${path.at(-1) ?? ''}`, repeats: false }),
  responses: channelOfResponses,
};

/** What a choice says is one text, whether its pieces come as texts or as lists of parts; what it thinks is another. */
function partOfChoice(path: readonly string[]): string {
  const [choices, choice, delta, content, _place, ...inside] = path;
  if (delta !== 'delta' || content !== 'content') return path.join('/');
  const within = inside.length === 1 && inside[0] === 'text' ? [] : inside;
  return [choices, choice, delta, content, ...within].join('/');
}

/** Every text is said in pieces, then as a whole, then again in what it is part of. */
function channelOfResponses(event: Json, path: readonly string[]): Channel | undefined {
  const [, kind, stage] = /^(?:response\.)?(.*)\.(delta|done)$/.exec(String(event['type'])) ?? [];
  const output = indexOf(event, 'output_index');
  const content = 'summary_index' in event ? indexOf(event, 'summary_index') : indexOf(event, 'content_index');
  if (path.join('/') === 'delta') {
    // Sounds and pictures are encoded.
    return /(?:^|_)(?:audio|image)$/.test(kind ?? '')
      ? undefined
      : { name: `${output}/${content}/${kind}`, repeats: false };
  }
  if (stage === 'done' && path.length === 1) return { name: `${output}/${content}/${kind}`, repeats: true };
  return channelWithin(event, path, `${output}/${content}`);
}

/** A part says its text once more, and so does the item, and the response, that it is in. */
function channelWithin(event: Json, path: readonly string[], place: string): Channel {
  const [whole, ...inner] = path;
  const item = whole === 'item' ? [indexOf(event, 'output_index'), ...inner] : inner.slice(1);
  if (whole === 'part' && path.length === 2)
    return { name: `${place}/${kindOf(asObject(event['part']))}`, repeats: true };
  const isWhole = whole === 'item' || (whole === 'response' && inner[0] === 'output');
  const [output, list, index, member] = item;
  if (isWhole && member === 'text' && (list === 'content' || list === 'summary')) {
    return { name: `${output}/${index}/${kindOf(at(event, path.slice(0, -1)))}`, repeats: true };
  }
  if (isWhole && item.length === 2 && list === 'arguments')
    return { name: `${output}/0/function_call_arguments`, repeats: true };
  return { name: `${place}/${path.join('/')}`, repeats: false };
}

/** The part at that place, where lists name no places of their own. */
function at(value: unknown, path: readonly string[]): Json | undefined {
  const found = path.reduce<unknown>(
    (now, step) => (Array.isArray(now) ? now[Number(step)] : asObject(now)?.[step]),
    value,
  );
  return asObject(found);
}

/** What events call the text of a part. */
const KINDS: Readonly<Record<string, string>> = {
  summary_text: 'reasoning_summary_text',
  audio: 'output_audio_transcript',
};

function kindOf(part: Json | undefined): string {
  const type = String(part?.['type']);
  return KINDS[type] ?? type;
}

/** The place that an event or a choice names; the first one when it names none. */
function indexOf(object: Json, member = 'index'): string {
  const index = object[member];
  return typeof index === 'number' ? String(index) : '0';
}
